/**
 * Exponential backoff with jitter: the wait before retry number `attempt` (1, 2, …), in
 * milliseconds. Half of it is fixed and half is random, so that many waiters spread out.
 */
export function backoffMs(attempt: number, baseMs: number, maxMs: number, random = Math.random): number {
  const fullMs = Math.min(maxMs, baseMs * 2 ** Math.min(attempt - 1, 30));
  return fullMs / 2 + (fullMs / 2) * random();
}
