import { useId } from "react";
import { AUTOMATIC_MODE } from "../../../domain/orders/split-plan";
import type { SymbolRow } from "../contract";
import { Choice } from "../parts/choice";
import type { SplitDraft } from "./split-draft";

type SplitFieldsProps = {
  draft: SplitDraft;
  /** How it is split already, if it is. */
  now: Pick<SymbolRow, "expiresAt" | "setBy"> | null;
  problem?: string;
  recommended: number | null;
  onDraft: (part: Partial<SplitDraft>) => void;
};

const HOUR = 3_600_000;
const HOT_FOR: { value: SplitDraft["hotFor"]; text: string }[] = [
  { value: HOUR / 4, text: "15 min" },
  { value: HOUR, text: "1 h" },
  { value: 4 * HOUR, text: "4 h" },
  { value: 24 * HOUR, text: "1 d" },
  { value: null, text: "until changed" },
];

const clock = new Intl.DateTimeFormat("en-GB", {
  ...{ day: "numeric", month: "short", hour: "2-digit", minute: "2-digit" },
});

/** Factor, strategy, placement and expiry. */
export function SplitFields({ draft, now, problem, recommended, onDraft }: SplitFieldsProps) {
  const id = useId();
  const until = now?.expiresAt && clock.format(new Date(now.expiresAt));
  // What automatic mode has split, it cools down by itself: nothing that a trader sets is the same.
  const isOpen = now !== null && !until && now.setBy !== AUTOMATIC_MODE;
  const hotFor = until
    ? [{ value: "kept" as const, text: `as it is now (until ${until})` }, ...HOT_FOR]
    : HOT_FOR.map(one =>
        isOpen && one.value === null ? { ...one, text: "as it is now (until changed)" } : one,
      );
  return (
    <>
      <div>
        <label className="label" htmlFor={id}>
          Split over how many shards
        </label>
        <div className="flex items-center gap-2">
          <input
            id={id}
            className="input max-w-24"
            inputMode="numeric"
            autoComplete="off"
            aria-invalid={problem !== undefined}
            aria-describedby={`${id}-description`}
            value={draft.factorText}
            onChange={event => onDraft({ factorText: event.target.value })}
          />
          {recommended !== null && String(recommended) !== draft.factorText.trim() && (
            <button
              type="button"
              className="btn btn-outline"
              onClick={() => onDraft({ factorText: String(recommended) })}
            >
              Take {recommended}, as recommended
            </button>
          )}
        </div>
        <p
          id={`${id}-description`}
          className={`mt-1 text-[0.8125rem] ${problem ? "text-critical" : "text-soft"}`}
        >
          {problem ??
            (recommended === null
              ? "Nothing can be recommended: there are no figures, or shards have no limit."
              : `Recommended: ${recommended}, the least that leaves every shard 30 % for a burst.`)}
        </p>
      </div>
      <Choice
        label="Hot until"
        inline
        value={draft.hotFor}
        options={hotFor}
        onValue={next => onDraft({ hotFor: next })}
      />
      <Choice
        label="An order goes to"
        value={draft.strategy}
        options={[
          { value: "random" as const, text: "any sub-key", description: "Spreads best." },
          {
            value: "account" as const,
            text: "its account's sub-key",
            description: "An account's orders stay together.",
          },
        ]}
        onValue={strategy => onDraft({ strategy })}
      />
      <Choice
        label="Suffixes"
        value={draft.placement}
        options={[
          {
            value: "planned" as const,
            text: "planned",
            description: "Chosen to land on distinct, least loaded shards.",
          },
          {
            value: "plain" as const,
            text: "1 to N",
            description: "Wherever they hash to: often on the same shard.",
          },
        ]}
        onValue={placement => onDraft({ placement })}
      />
    </>
  );
}
