type SelectFilterProps<T extends string> = {
  label: string;
  /** Shown when nothing is chosen: "Any role". */
  any: string;
  value: T | null;
  options: readonly T[];
  words?: Partial<Record<T, string>>;
  onValue: (value: T | null) => void;
};

export function SelectFilter<T extends string>({
  label,
  any,
  value,
  options,
  words,
  onValue,
}: SelectFilterProps<T>) {
  return (
    <select
      className="input"
      aria-label={label}
      value={value ?? ""}
      onChange={event => onValue(options.find(option => option === event.target.value) ?? null)}
    >
      <option value="">{any}</option>
      {options.map(option => (
        <option key={option} value={option}>
          {words?.[option] ?? option}
        </option>
      ))}
    </select>
  );
}
