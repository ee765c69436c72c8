const units = [
  ["year", 31_536_000],
  ["month", 2_592_000],
  ["day", 86_400],
  ["hour", 3_600],
  ["minute", 60],
] as const;

/** "3 minutes ago"; "just now" within the first minute, also for a server clock slightly ahead. */
export function relativeTime(then: Date, now: Date): string {
  const seconds = (now.getTime() - then.getTime()) / 1_000;
  const format = new Intl.RelativeTimeFormat("en", { numeric: "auto" });
  for (const [unit, size] of units) {
    if (seconds >= size) return format.format(-Math.floor(seconds / size), unit);
  }
  return "just now";
}
