const HOUR = 3_600_000;
const DAY = 24 * HOUR;

/** The next short number at or above `max` whose half is short as well. */
export function niceTop(max: number, least: number): number {
  const wanted = Math.max(max, least);
  const power = 10 ** Math.floor(Math.log10(wanted));
  const factor = [1, 2, 3, 4, 5, 6, 8, 10].find(each => each * power >= wanted * 0.999_999) ?? 10;
  return factor * power;
}

const STEPS = [1 / 60, 5 / 60, 0.25, 1, 2, 6, 24, 72].map(hours => hours * HOUR);

/** Four or five round local times between `from` and `to`. */
export function timeTicks(from: number, to: number): number[] {
  const step = STEPS.find(each => (to - from) / each <= 7.5) ?? 7 * DAY;
  const offset = new Date(from).getTimezoneOffset() * 60_000;
  const first = Math.ceil((from - offset) / step) * step + offset;
  const ticks: number[] = [];
  for (let at = first; at <= to; at += step) ticks.push(at);
  return ticks;
}

const clock = new Intl.DateTimeFormat("en-GB", { hour: "2-digit", minute: "2-digit" });
const seconds = new Intl.DateTimeFormat("en-GB", { timeStyle: "medium" });
const day = new Intl.DateTimeFormat("en-GB", { day: "numeric", month: "short" });

export const tickText = (at: number, spanMs: number): string => (spanMs > 1.5 * DAY ? day : clock).format(at);

export function readingTime(at: number, spanMs: number): string {
  if (spanMs <= 6 * HOUR) return seconds.format(at);
  return `${day.format(at)}, ${clock.format(at)}`;
}
