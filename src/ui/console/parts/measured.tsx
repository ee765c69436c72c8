import { quantity, type Unit } from "./format";

/** A measured value with its unit. */
export function Measured({ value, unit }: { value: number | null | undefined; unit: Unit }) {
  if (value === null || value === undefined) return <NoData />;
  const { number, unit: word } = quantity(value, unit);
  return (
    <>
      {number} <span className="unit">{word}</span>
    </>
  );
}

/** Stands for a missing value, hatched, so that it does not look like a zero. */
export const NoData = () => <span className="no-data">no data</span>;
