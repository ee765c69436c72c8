import type { ComponentProps } from "react";
import type { explainFailure } from "./explain-failure";
import { Measured } from "./measured";
import { StateBadge } from "./state-badge";
import { UtilizationBar } from "./utilization-bar";

/** The previews of a split and of a change of the shards: with more shards their tables show only those that change. */
export const MAX_PREVIEW_ROWS = 8;

export function PreviewFailure({ failure }: { failure: ReturnType<typeof explainFailure> }) {
  return (
    <p role="alert">
      <StateBadge state="unknown" word={failure.title} /> {failure.text}
    </p>
  );
}

type PreviewWarningProps = Pick<ComponentProps<typeof StateBadge>, "state" | "word"> & { text: string };

export function PreviewWarning({ state, word, text }: PreviewWarningProps) {
  return (
    <p className="mt-1.5 text-[0.8125rem]">
      <StateBadge state={state} word={word} /> {text}
    </p>
  );
}

/** The utilization after the change, beside the present one. */
export function LoadAfter({ before, after }: { before: number | null; after: number | null }) {
  return (
    <span className="flex items-center gap-2">
      <UtilizationBar utilization={after} before={before} />
      <span>
        <Measured value={after} unit="ratio" />
      </span>
    </span>
  );
}
