/** The largest amount: exact in a double, also as the sum of eight amounts. */
export const MAX_UNITS = 1_000_000_000_000_000;

const DECIMAL = /^(0|[1-9]\d{0,15})(?:\.(\d{1,18}))?$/;

/**
 * Reads a decimal such as "12.5" as whole units of 10^-decimals: 12.5 with 2 decimals is 1250.
 * Null unless it is a plain positive decimal with no more decimals, up to MAX_UNITS.
 */
export function readDecimal(text: string, decimals: number): number | null {
  const match = DECIMAL.exec(text);
  if (!match) return null;
  const fraction = (match[2] ?? "").replace(/0+$/, "");
  if (fraction.length > decimals) return null;
  const units = Number(match[1] + fraction.padEnd(decimals, "0"));
  return units > 0 && units <= MAX_UNITS ? units : null;
}

/** The reverse of readDecimal, without trailing zeros. */
export function formatDecimal(units: number, decimals: number): string {
  const digits = String(units).padStart(decimals + 1, "0");
  const whole = digits.slice(0, digits.length - decimals);
  const fraction = digits.slice(digits.length - decimals).replace(/0+$/, "");
  return fraction === "" ? whole : `${whole}.${fraction}`;
}
