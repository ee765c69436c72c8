"use client";

import { useState } from "react";
import { consoleApi } from "../console-api";
import type { FilterStatus, VersionStatus } from "../contract";
import { type Confirmation, ConfirmDialog } from "../parts/confirm-dialog";
import { useSession } from "../session/session";
import { ASK_ACTIONS, type Ask, blockedBy } from "./disabled-reason";
import { type Draft, draftOf } from "./draft";
import { DraftFields } from "./draft-fields";
import { REFRESH, schedule, VERSION_CHANGES } from "./filter-changes";
import { promote } from "./promote-change";
import { slotsOf } from "./slots";

type AskedDialogProps = {
  ask: Ask | null;
  /** Null: the version that the question is about by its nature. */
  version: number | null;
  status: FilterStatus;
  onClose: () => void;
};

/** What somebody looks at while they decide: later news must not slip into the decision. */
type Asked = { key: string; ask: Ask; status: FilterStatus; of?: VersionStatus; draft: Draft };

export function AskedDialog({ ask, version, status, onClose }: AskedDialogProps) {
  const { can, user } = useSession();
  const [asked, setAsked] = useState<Asked | null>(null);
  const key = ask ? `${ask} ${version}` : "";
  if (key !== (asked?.key ?? "")) setAsked(ask ? begin(key, ask, version, status) : null);
  const onDraft = (change: Partial<Draft>) =>
    setAsked(now => now && { ...now, draft: { ...now.draft, ...change } });

  let confirmation: Confirmation | null = null;
  if (asked) {
    const verdict = can[ASK_ACTIONS[asked.ask]];
    const refused = verdict.allowed
      ? undefined
      : (verdict.reason ?? `The role ${user.role} may not do this.`);
    const made = confirmationOf(asked, user.username);
    confirmation = {
      ...made,
      blocked: refused ?? blockedBy(asked.ask, asked.status, asked.of) ?? made.blocked,
      details: <DraftFields ask={asked.ask} of={asked.of} draft={asked.draft} onDraft={onDraft} />,
    };
  }
  return <ConfirmDialog confirmation={confirmation} onClose={onClose} />;
}

function begin(key: string, ask: Ask, version: number | null, status: FilterStatus): Asked {
  const slots = slotsOf(status);
  const natural = ask === "rollback" || ask === "retire" ? slots.previous : slots.candidate;
  const of = version === null ? natural : status.versions.find(one => one.version === version);
  return { key, ask, status, of, draft: draftOf(of, status.schedule.everyHours) };
}

function confirmationOf({ ask, status, of, draft }: Asked, me: string): Confirmation {
  if (ask === "schedule") return schedule(consoleApi, { status, draft });
  if (!of) return nothingToDo(ask);
  const about = { status, of, draft };
  return ask === "promote" ? promote(consoleApi, { ...about, me }) : VERSION_CHANGES[ask](consoleApi, about);
}

/** An address that asks for something there is no version for. */
function nothingToDo(ask: Ask): Confirmation {
  return {
    title: "There is nothing to decide",
    consequence: "The version that this is about is not there any more, or not yet.",
    reach: "small",
    verb: ask,
    blocked: "There is no such version.",
    run: () => Promise.reject(new Error("nothing to do")),
    done: "",
    refresh: REFRESH,
  };
}
