import { useId } from "react";

type Props = {
  label?: string;
  value: string;
  onValue: (reason: string) => void;
  /** The dialog opens with the focus here. */
  isFirst?: boolean;
  required?: boolean;
};

/** The reason that every change needs. */
export function ReasonField({
  label = "Reason, for the audit log",
  value,
  onValue,
  isFirst,
  required,
}: Props) {
  const id = useId();
  return (
    <div>
      <label className="label" htmlFor={id}>
        {label}
      </label>
      <textarea
        id={id}
        data-first={isFirst || undefined}
        className="input"
        rows={2}
        required={required}
        maxLength={500}
        value={value}
        onChange={event => onValue(event.target.value)}
      />
    </div>
  );
}
