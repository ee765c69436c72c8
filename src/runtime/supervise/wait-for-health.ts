import { setTimeout as sleep } from "node:timers/promises";

/** Resolves when the URL answers 200; rejects after `timeoutMs` with the last answer. */
export async function waitForHealth(url: string, timeoutMs: number, signal: AbortSignal): Promise<void> {
  const deadline = Date.now() + timeoutMs;
  let last = "no answer";
  while (Date.now() < deadline) {
    signal.throwIfAborted();
    try {
      const bound = AbortSignal.any([signal, AbortSignal.timeout(5_000)]);
      const response = await fetch(url, { signal: bound });
      await response.body?.cancel();
      if (response.status === 200) return;
      last = `status ${response.status}`;
    } catch (error) {
      last = ((error as Error).cause as Error | undefined)?.message || (error as Error).message;
    }
    await sleep(100);
  }
  throw new Error(`The server was not healthy within ${timeoutMs / 1_000} s: ${url} gave ${last}`);
}
