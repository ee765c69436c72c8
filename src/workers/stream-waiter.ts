import { Cluster } from "ioredis";
import type { ProcessParts } from "../process/process-parts";
import { createRedis, type RedisClient } from "../store/redis";

/** Snapshots and new leases are looked at so often. */
const WAIT_MS = 1_000;
const COMMAND_TIMEOUT_MS = 5_000;

/** Waits for new entries of streams on a connection of its own, so that an idle process does not poll. */
export class StreamWaiter {
  private readonly redis: RedisClient;

  constructor(url: string, parts: ProcessParts) {
    const settings = {
      url,
      connectionName: "floodgate-waiter",
      commandTimeoutMs: COMMAND_TIMEOUT_MS,
      guard: parts.guard,
    };
    this.redis = createRedis(settings, () => {});
    parts.onStop(() => this.redis.disconnect());
  }

  /**
   * `new`: a stream has an entry behind its id. `quiet`: none had for a second. `unable`, at once: the
   * caller has to poll. One connection can't block on several nodes of a cluster.
   */
  async wait(ends: ReadonlyMap<string, string>, signal: AbortSignal): Promise<"new" | "quiet" | "unable"> {
    if (ends.size === 0 || this.redis instanceof Cluster || this.redis.status !== "ready") return "unable";
    // The stop must not wait for the answer.
    const stop = () => this.redis.disconnect();
    signal.addEventListener("abort", stop, { once: true });
    try {
      const options = ["COUNT", 1, "BLOCK", WAIT_MS, "STREAMS"] as const;
      const reply = await this.redis.xreadBuffer(...options, ...ends.keys(), ...ends.values());
      return reply === null ? "quiet" : "new";
    } catch (error) {
      if (signal.aborted) return "unable";
      throw error;
    } finally {
      signal.removeEventListener("abort", stop);
    }
  }
}
