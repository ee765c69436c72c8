/**
 * What orders are put in order by. `timeUs`: microseconds since 1970 on the log's shared clock, given
 * at ingress. `producer`: whom the registry gave that number; `sequence` counts that producer's orders.
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

/** Numbers from here on are of producers that write to the log without joining: no watermark is awaited of them. */
export const FOREIGN_PRODUCERS = 2 ** 31;
