const UNITS = ["kB", "MB", "GB", "TB"] as const;
const STEP = 1_024;

/** One MB as Postgres counts it in its settings. */
export const WAL_MB = STEP ** 2;

/** As Postgres writes sizes in its settings, in powers of 1,024, so that they compare: "512 MB", "1.5 GB". */
export function formatWalSize(bytes: number): string {
  let value = bytes / STEP;
  let unit = 0;
  // 1,023.6 would be shown as 1,024.
  while (Math.round(value) >= STEP && unit < UNITS.length - 1) {
    value /= STEP;
    unit += 1;
  }
  const number = value >= 10 ? String(Math.round(value)) : String(Number(value.toFixed(1)));
  return `${number} ${UNITS[unit]}`;
}
