import { KINESIS_LIMITS, NO_LIMITS, type ShardLimits } from "./redis-log";

/** `on`: the limits of Kinesis. `off`: none. `250/65536`: records and bytes per second. */
export const SHARD_LIMITS = /^(on|off|[1-9]\d{0,6}\/[1-9]\d{0,9})$/;

/** @param text that SHARD_LIMITS matches */
export function shardLimitsOf(text: string): ShardLimits {
  if (text === "on") return KINESIS_LIMITS;
  if (text === "off") return NO_LIMITS;
  const [recordsPerSecond, bytesPerSecond] = text.split("/").map(Number) as [number, number];
  return { recordsPerSecond, bytesPerSecond };
}
