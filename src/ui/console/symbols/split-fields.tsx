import { useId } from "react";
import { AUTOMATIC_MODE } from "../../../domain/orders/split-plan";
import type { SymbolRow } from "../contract";
import { Choice } from "../parts/choice";
import type { SplitDraft } from "./split-draft";

type SplitFieldsProps = {
  draft: SplitDraft;
  /** The current split; null: it is not split. */
  now: Pick<SymbolRow, "expiresAt" | "setBy"> | null;
  problem?: string;
  recommended: number | null;
  onDraft: (part: Partial<SplitDraft>) => void;
};

const STRATEGIES = [
  { value: "account", text: "sub-key of the account", description: "Each account keeps one sub-key." },
  {
    value: "random",
    text: "random sub-key",
    description: "Spreads also one account's orders, if it waits for each to be durable.",
  },
] as const;

const PLACEMENTS = [
  { value: "planned", text: "planned", description: "Chosen for distinct shards with the least load." },
  { value: "plain", text: "1 to N", description: "Not chosen: they often hash to the same shard." },
] as const;

/** Factor, expiry, strategy and placement. */
export function SplitFields({ draft, now, problem, recommended, onDraft }: SplitFieldsProps) {
  return (
    <>
      <FactorField
        text={draft.factorText}
        problem={problem}
        recommended={recommended}
        onText={factorText => onDraft({ factorText })}
      />
      <Choice
        label="Hot until"
        inline
        value={draft.hotFor}
        options={expiryOptions(now)}
        onValue={hotFor => onDraft({ hotFor })}
      />
      <Choice
        label="Strategy"
        value={draft.strategy}
        options={STRATEGIES}
        onValue={strategy => onDraft({ strategy })}
      />
      <Choice
        label="Suffixes"
        value={draft.placement}
        options={PLACEMENTS}
        onValue={placement => onDraft({ placement })}
      />
    </>
  );
}

type FactorFieldProps = {
  text: string;
  problem?: string;
  recommended: number | null;
  onText: (text: string) => void;
};

function FactorField({ text, problem, recommended, onText }: FactorFieldProps) {
  const id = useId();
  const advice =
    recommended === null
      ? "No recommendation: no server reports the load, or shards have no limit."
      : `Recommended: ${recommended}, the smallest factor that leaves 30 % of each shard free.`;
  return (
    <div>
      <label className="label" htmlFor={id}>
        Split factor
      </label>
      <div className="flex items-center gap-2">
        <input
          id={id}
          className="input max-w-24"
          inputMode="numeric"
          autoComplete="off"
          aria-invalid={problem !== undefined}
          aria-describedby={`${id}-description`}
          value={text}
          onChange={event => onText(event.target.value)}
        />
        {recommended !== null && String(recommended) !== text.trim() && (
          <button type="button" className="btn btn-outline" onClick={() => onText(String(recommended))}>
            Use {recommended} (recommended)
          </button>
        )}
      </div>
      <p
        id={`${id}-description`}
        className={`mt-1 text-[0.8125rem] ${problem ? "text-critical" : "text-soft"}`}
      >
        {problem ?? advice}
      </p>
    </div>
  );
}

type ExpiryOption = { value: SplitDraft["hotFor"]; text: string };

const HOUR = 3_600_000;
const HOT_FOR: readonly ExpiryOption[] = [
  { value: HOUR / 4, text: "15 min" },
  { value: HOUR, text: "1 h" },
  { value: 4 * HOUR, text: "4 h" },
  { value: 24 * HOUR, text: "1 d" },
  { value: null, text: "until changed" },
];

const clock = new Intl.DateTimeFormat("en-GB", {
  day: "numeric",
  month: "short",
  hour: "2-digit",
  minute: "2-digit",
});

function expiryOptions(now: SplitFieldsProps["now"]): readonly ExpiryOption[] {
  if (now?.expiresAt)
    return [
      { value: "kept", text: `unchanged (until ${clock.format(new Date(now.expiresAt))})` },
      ...HOT_FOR,
    ];
  // Automatic mode merges its own split; a split by a trader stays until a trader changes it.
  if (now === null || now.setBy === AUTOMATIC_MODE) return HOT_FOR;
  return HOT_FOR.map(one => (one.value === null ? { ...one, text: "unchanged (until changed)" } : one));
}
