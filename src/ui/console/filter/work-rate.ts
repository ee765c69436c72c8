/** Progress of the work at a time, milliseconds since 1970. */
export type Sample = { at: number; done: number };

const WINDOW_MS = 10_000;

/** Keeps the samples of the last ten seconds. Work that starts again starts a new window. */
export function addSample(samples: readonly Sample[], next: Sample): Sample[] {
  const last = samples.at(-1);
  if (last && next.at <= last.at) return [...samples];
  if (last && next.done < last.done) return [next];
  return [...samples.filter(({ at }) => at >= next.at - WINDOW_MS), next];
}

/** Per second; null before there are two samples. */
export function rateOf(samples: readonly Sample[]): number | null {
  const [first, last] = [samples[0], samples.at(-1)];
  if (!first || !last || last.at <= first.at) return null;
  return ((last.done - first.done) * 1_000) / (last.at - first.at);
}

/** Seconds until the work is done; null while that is unknown. */
export function secondsLeft(rate: number | null, done: number, total: number | undefined): number | null {
  if (!rate || rate <= 0 || total === undefined || total < done) return null;
  return (total - done) / rate;
}
