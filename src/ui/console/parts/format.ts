import { formatBytes } from "./format-bytes";

const count = new Intl.NumberFormat("en", { maximumFractionDigits: 0 });
const compact = new Intl.NumberFormat("en", { notation: "compact", maximumFractionDigits: 1 });
const exact = new Intl.DateTimeFormat("en", { dateStyle: "medium", timeStyle: "long" });

export const formatCount = (value: number): string => count.format(value);
export const formatExact = (at: string | number): string => exact.format(new Date(at));

/** A number and its unit apart, for different styles. */
export type Quantity = { number: string; unit: string };
export type Unit = "ratio" | "perSecond" | "ms" | "seconds" | "count" | "orders" | "bytesPerSecond";

/** Three significant digits. */
function threeDigits(value: number): string {
  const size = Math.abs(value);
  if (size >= 10_000) return compact.format(value);
  if (size >= 100 || value === 0) return count.format(value);
  return value.toFixed(size >= 10 ? 1 : 2).replace(/\.?0+$/, "");
}

function countText(value: number): string {
  return value >= 10_000 ? compact.format(value) : count.format(value);
}

export function quantity(value: number, unit: Unit): Quantity {
  switch (unit) {
    case "ratio":
      return { number: threeDigits(value * 100), unit: "%" };
    case "perSecond":
      return { number: threeDigits(value), unit: "/s" };
    case "ms":
      return value >= 1_000
        ? { number: threeDigits(value / 1_000), unit: "s" }
        : { number: threeDigits(value), unit: "ms" };
    case "seconds":
      return value >= 120
        ? { number: threeDigits(value / 60), unit: "min" }
        : { number: threeDigits(value), unit: "s" };
    case "count":
      return { number: countText(value), unit: value === 1 ? "row" : "rows" };
    case "bytesPerSecond": {
      const [number = "0", word = "B"] = formatBytes(value).split(" ");
      return { number, unit: `${word}/s` };
    }
    case "orders":
      return { number: countText(value), unit: value === 1 ? "order" : "orders" };
  }
}

/** For an axis: short, and without a line break. */
export function axisText(value: number, unit: Unit): string {
  if (value === 0) return "0";
  const { number, unit: word } = quantity(value, unit);
  if (unit === "bytesPerSecond") return `${number.replace(/\.0+$/, "")}\u00a0${word.slice(0, -2)}`;
  if (unit === "perSecond" && value >= 1_000) return `${compact.format(value)}\u00a0${word}`;
  if (unit === "count" || unit === "orders") return value >= 1_000 ? compact.format(value) : number;
  return `${number}\u00a0${word}`;
}

export function formatQuantity(value: number, unit: Unit): string {
  const { number, unit: word } = quantity(value, unit);
  return `${number} ${word}`;
}

const steps = [
  ["y", 31_536_000],
  ["mo", 2_592_000],
  ["d", 86_400],
  ["h", 3_600],
  ["min", 60],
  ["s", 1],
] as const;

/** "4 min ago", "in 3 d"; "just now" within five seconds, also for clocks that differ a little. */
export function formatAgo(at: number, now: number): string {
  const seconds = Math.round((now - at) / 1_000);
  if (Math.abs(seconds) < 5) return "just now";
  const first = steps.findIndex(step => Math.abs(seconds) >= step[1]);
  const [unit, size] = steps[first] ?? steps[5];
  const amount = Math.floor(Math.abs(seconds) / size);
  const next = unit === "h" || unit === "d" ? steps[first + 1] : undefined;
  const rest = next ? Math.floor((Math.abs(seconds) % size) / next[1]) : 0;
  const text = rest > 0 && amount < 10 ? `${amount} ${unit} ${rest} ${next?.[0]}` : `${amount} ${unit}`;
  return seconds > 0 ? `${text} ago` : `in ${text}`;
}

/** "4:07" below an hour, "3 h 05 min" below a day, "2 d 4 h" above. Seconds are rounded up. */
export function formatLeft(ms: number): string {
  const seconds = Math.max(0, Math.ceil(ms / 1_000));
  const two = (value: number) => String(value).padStart(2, "0");
  if (seconds < 3_600) return `${Math.floor(seconds / 60)}:${two(seconds % 60)}`;
  const minutes = Math.floor(seconds / 60);
  if (minutes < 1_440) return `${Math.floor(minutes / 60)} h ${two(minutes % 60)} min`;
  return `${Math.floor(minutes / 1_440)} d ${Math.floor((minutes % 1_440) / 60)} h`;
}
