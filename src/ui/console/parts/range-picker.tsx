import { RANGE_NAMES, RANGES, type Range } from "../charts/time-window";

type RangePickerProps = { range: Range; onRange: (range: Range) => void };

export function RangePicker({ range, onRange }: RangePickerProps) {
  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset can't be laid out in one line with its legend.
    <div className="segmented" role="group" aria-label="Time range">
      {RANGE_NAMES.map(name => (
        <button key={name} type="button" aria-pressed={name === range} onClick={() => onRange(name)}>
          {RANGES[name].title}
        </button>
      ))}
    </div>
  );
}
