import { backoffMs } from "../runtime/backoff";
import type { ProducerDeps, ShardQueueStep } from "./producer-deps";
import type { ShardQueue } from "./shard-queue";

/** How long a queue waits whose call failed once more: longer each time, and as long as the log has asked for. */
export function waitAfterFailure(
  queue: ShardQueue,
  { settings, random }: ProducerDeps,
  atLeastMs = 0,
): ShardQueueStep {
  queue.failures += 1;
  const ms = backoffMs(queue.failures, settings.backoffMs, settings.maxBackoffMs, random);
  return { next: "wait", ms: Math.max(atLeastMs, ms) };
}
