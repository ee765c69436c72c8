import { quantity, type Unit } from "./format";

/** A measured value with its unit; without one, "no data" on a hatch, which no zero looks like. */
export function Measured({ value, unit }: { value: number | null | undefined; unit: Unit }) {
  if (value === null || value === undefined) return <span className="no-data">no data</span>;
  const { number, unit: word } = quantity(value, unit);
  return (
    <>
      {number} <span className="unit">{word}</span>
    </>
  );
}
