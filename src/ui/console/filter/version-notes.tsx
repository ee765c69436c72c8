import type { ReactNode } from "react";
import type { VersionStatus } from "../contract";
import { Ago } from "../parts/ago";
import { readProgress } from "./progress";

type Note = { tone: "warning" | "critical" | "unknown"; text: ReactNode };

/** Failures, warnings and pending decisions of a version, the worst first. */
export function VersionNotes({ version }: { version: VersionStatus }) {
  return (
    <div className="grid content-start gap-1.5">
      {notesOf(version).map(({ tone, text }, i) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the notes have no identity and no state.
        <p key={i} className="consequence text-[0.8125rem]" data-tone={tone}>
          {text}
        </p>
      ))}
    </div>
  );
}

function notesOf(version: VersionStatus): Note[] {
  const { failure, forecast, armedUntil, armedBy, approvedBy, verifyRequest, state, switchedAt } = version;
  const { checked } = readProgress(version.progress);
  const notes: Note[] = [];
  if (failure) notes.push({ tone: "critical", text: failure });
  if (forecast?.suggestion && (state === "active" || state === "ready"))
    notes.push({ tone: "warning", text: forecast.suggestion });
  if (armedUntil) {
    const text = (
      <>
        Armed by {armedBy}: promoted as soon as every gate passes. The time limit ends <Ago at={armedUntil} />
        .
      </>
    );
    notes.push({ tone: "warning", text });
  }
  if (approvedBy)
    notes.push({
      tone: "unknown",
      text: `${approvedBy} has approved the promotion; one more user must approve.`,
    });
  if (verifyRequest) {
    const scope = verifyRequest === "every-row" ? "every row" : "a sample";
    const progress = checked === undefined ? "" : `; ${checked.toLocaleString("en-US")} rows so far`;
    notes.push({ tone: "unknown", text: `Being verified against the database, ${scope}${progress}.` });
  }
  if (state === "active" && switchedAt === null)
    notes.push({
      tone: "warning",
      text: "Promoted, but the pointer in Redis is not confirmed yet: readers may still follow another version.",
    });
  return notes;
}
