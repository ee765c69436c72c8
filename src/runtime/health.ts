/** The health of a process, as GET /healthz reports it. */
export type Health = {
  /** `down`: it cannot do its work. `degraded`: it can, and something is wrong. */
  status: "ok" | "degraded" | "down";
  /** What is wrong and what it means, in words; empty when the status is ok. */
  problems: string[];
  /** Of an aggregator or an engine: the partitions of symbols that it has leased. */
  partitions?: number[];
  /** Of an aggregator: orders in its reorder buffers. */
  bufferedEvents?: number;
};

/** The health that follows from the problems found; `isUp`: whether the process can work at all. */
export function healthOf(problems: string[], isUp: boolean): Health {
  if (!isUp) return { status: "down", problems };
  return { status: problems.length > 0 ? "degraded" : "ok", problems };
}

/** The promise's value; null when it rejects, or is not there within `ms` milliseconds. */
export function valueInTime<T>(promise: Promise<T>, ms: number): Promise<T | null> {
  const late = new Promise<null>(resolve => setTimeout(resolve, ms, null).unref());
  return Promise.race([promise.catch(() => null), late]);
}
