import { Search } from "lucide-react";

type SearchFieldProps = { label: string; value: string; onValue: (value: string) => void; wide?: boolean };

/** The key "/" focuses this field. */
export function SearchField({ label, value, onValue, wide }: SearchFieldProps) {
  return (
    <span className={`relative min-w-44 grow ${wide ? "sm:max-w-none" : "sm:max-w-72"}`}>
      <Search
        size={14}
        aria-hidden="true"
        className="absolute top-1/2 left-2.5 -translate-y-1/2 text-faint"
      />
      <input
        type="search"
        data-search
        className="input pl-8!"
        aria-label={label}
        placeholder={label}
        maxLength={200}
        value={value}
        onChange={event => onValue(event.target.value)}
      />
    </span>
  );
}
