import { useId } from "react";

type ChoiceProps<T extends string | number | null> = {
  label: string;
  value: T;
  options: readonly { value: T; text: string; description?: string }[];
  onValue: (value: T) => void;
  /** All options in one line. */
  inline?: boolean;
};

/** A group of radio buttons. */
export function Choice<T extends string | number | null>(props: ChoiceProps<T>) {
  const { label, value, options, onValue, inline } = props;
  const name = useId();
  return (
    <fieldset>
      <legend className="label">{label}</legend>
      <div className={inline ? "flex flex-wrap gap-x-3.5 gap-y-1.5" : "grid gap-1.5"}>
        {options.map(option => (
          <label
            key={String(option.value)}
            className={`flex gap-1.5 ${inline ? "items-center" : "items-baseline"}`}
          >
            <input
              type="radio"
              name={name}
              checked={option.value === value}
              onChange={() => onValue(option.value)}
            />
            <span>
              {option.text} {option.description && <span className="text-soft">{option.description}</span>}
            </span>
          </label>
        ))}
      </div>
    </fieldset>
  );
}
