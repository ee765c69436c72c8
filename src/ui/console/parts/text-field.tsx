import { useId } from "react";

type TextFieldProps = {
  label: string;
  value: string;
  onValue: (value: string) => void;
  /** Below the field. */
  note?: string;
  /** What is wrong with the value; shown in place of the note. */
  problem?: string;
  isNumber?: boolean;
  /** The dialog opens with the focus here. */
  isFirst?: boolean;
  maxLength?: number;
};

export function TextField({
  label,
  value,
  onValue,
  note,
  problem,
  isNumber,
  isFirst,
  maxLength,
}: TextFieldProps) {
  const id = useId();
  const below = problem ?? note;
  return (
    <div>
      <label className="label" htmlFor={id}>
        {label}
      </label>
      <input
        id={id}
        data-first={isFirst || undefined}
        className="input"
        inputMode={isNumber ? "numeric" : undefined}
        autoComplete="off"
        spellCheck={false}
        maxLength={maxLength}
        aria-invalid={problem !== undefined}
        aria-describedby={below && `${id}-below`}
        value={value}
        onChange={event => onValue(event.target.value)}
      />
      {below && (
        <p id={`${id}-below`} className={`mt-1 text-[0.8125rem] ${problem ? "text-critical" : "text-soft"}`}>
          {below}
        </p>
      )}
    </div>
  );
}
