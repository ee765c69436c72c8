/**
 * The sort key of an order. `timeUs`: microseconds since 1970 on the log's shared clock, at ingress.
 * `producer`: the number that the registry gave. `sequence` counts the orders of that producer.
 */
export type Stamp = { timeUs: number; producer: number; sequence: number };

/** Below every stamp. */
export const NO_STAMP: Stamp = { timeUs: 0, producer: 0, sequence: 0 };

export function compareStamps(a: Stamp, b: Stamp): number {
  return a.timeUs - b.timeUs || a.producer - b.producer || a.sequence - b.sequence;
}

export function formatStamp({ timeUs, producer, sequence }: Stamp): string {
  return `${timeUs}:${producer}:${sequence}`;
}

/** NO_STAMP for anything that is not a stamp. */
export function parseStamp(text: string | null | undefined): Stamp {
  const [timeUs, producer, sequence] = (text ?? "").split(":").map(Number);
  if (!Number.isSafeInteger(timeUs) || !Number.isSafeInteger(producer) || !Number.isSafeInteger(sequence))
    return NO_STAMP;
  return { timeUs: timeUs!, producer: producer!, sequence: sequence! };
}

/** The lowest number of unregistered producers: they write to the log without joining, and send no watermark. */
export const UNREGISTERED_PRODUCERS = 2 ** 31;
