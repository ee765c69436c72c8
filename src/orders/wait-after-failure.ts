import { backoffMs } from "../runtime/backoff";
import type { LaneStep, ProducerDeps } from "./producer-deps";
import type { Lane } from "./shard-queue";

/** How long a lane waits whose call failed once more: longer each time, and as long as the log has asked for. */
export function waitAfterFailure(lane: Lane, { settings, random }: ProducerDeps, atLeastMs = 0): LaneStep {
  lane.failures += 1;
  const ms = backoffMs(lane.failures, settings.backoffMs, settings.maxBackoffMs, random);
  return { next: "wait", ms: Math.max(atLeastMs, ms) };
}
