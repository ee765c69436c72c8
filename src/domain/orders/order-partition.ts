/**
 * Aggregators and engines divide the symbols by partition. The streams of a partition have one hash tag, so
 * the number of partitions is fixed for the life of an order log.
 */
export const PARTITIONS = 8;

/** FNV-1a over the symbol's characters. */
export function partitionOf(symbol: string): number {
  return fnv1a(symbol) % PARTITIONS;
}

/** Which of `factor` sub-keys an account's orders take. */
export function accountSlot(accountId: string, factor: number): number {
  return fnv1a(accountId) % factor;
}

function fnv1a(text: string): number {
  let hash = 0x811c9dc5;
  for (let i = 0; i < text.length; i += 1) hash = Math.imul(hash ^ text.charCodeAt(i), 0x01000193);
  return hash >>> 0;
}
