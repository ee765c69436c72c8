type DayFieldProps = { label: string; value: Date | null; onValue: (day: Date | null) => void };

/** A day in UTC, as in the address. */
export function DayField({ label, value, onValue }: DayFieldProps) {
  return (
    <label className="flex items-center gap-1.5 text-[0.8125rem] text-soft">
      {label}
      <input
        type="date"
        className="input w-auto! min-w-0 text-[0.8125rem]! text-ink max-sm:flex-1 max-sm:px-1.5!"
        value={value ? value.toISOString().slice(0, 10) : ""}
        onChange={event => onValue(event.target.valueAsDate)}
      />
    </label>
  );
}
