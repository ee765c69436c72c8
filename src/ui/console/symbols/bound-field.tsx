import { useId } from "react";

type BoundFieldProps = {
  label: string;
  unit: string;
  text: string;
  problem?: string;
  onText: (text: string) => void;
};

/** A whole number within a sentence: "Split by at most [5] shards". */
export function BoundField({ label, unit, text, problem, onText }: BoundFieldProps) {
  const id = useId();
  return (
    <div className="grid grid-cols-[8.5rem_minmax(0,1fr)] items-center gap-x-2">
      <label className="text-soft" htmlFor={id}>
        {label}
      </label>
      <span className="flex items-center gap-2">
        <input
          id={id}
          className="input max-w-18 text-right"
          inputMode="numeric"
          autoComplete="off"
          aria-invalid={problem !== undefined}
          aria-describedby={`${id}-unit`}
          value={text}
          onChange={event => onText(event.target.value)}
        />
        <span id={`${id}-unit`} className={problem ? "text-[0.8125rem] text-critical" : "text-soft"}>
          {problem ?? unit}
        </span>
      </span>
    </div>
  );
}
