import {
  BrokenCircuitError,
  type CircuitBreakerPolicy,
  CircuitState,
  ConsecutiveBreaker,
  circuitBreaker,
  ExponentialBackoff,
  handleWhen,
} from "cockatiel";
import { nodeOf, type RedisClient } from "../store/redis";
import { filterKey } from "../store/redis-keys";
import type { Engines } from "./detect-engine";
import { isRefusal } from "./engine";
import { shardOf } from "./layout";
import type { FilterPointer, FollowedVersion, PointerFollower } from "./pointer";

type Answer =
  | { answer: "absent" | "maybe" }
  | { answer: "unavailable"; reason: "filter_unavailable" | "timeout" | "breaker_open" };

/** `unavailable` means: ask the database. Only `absent` is a proof. */
export type FilterAnswer = Answer & {
  /** The candidate answered instead of the active version. */
  byCanary?: true;
  /** The answers of both versions, for a shadow read. */
  compared?: { active: Answer["answer"]; candidate: Answer["answer"] };
};

/** When a node's circuit breaker opens, and when it tries the node again. */
export const BREAKER = { consecutiveFailures: 5, firstRetryMs: 250, maxRetryMs: 2_000 };

/**
 * Looks names up in the version that the pointer names. Each Redis node has a circuit breaker, so that
 * a failed node affects only its own shards. Never rejects.
 */
export class FilterReader {
  private readonly breakers = new Map<string, CircuitBreakerPolicy>();
  /** Shard -> time of its last lookup without proof. */
  private readonly unsealedAt = new Map<number, number>();

  constructor(
    private readonly redis: RedisClient,
    private readonly engines: Engines,
    private readonly options: { pointer: PointerFollower; deadlineMs: number },
  ) {}

  async lookup(key: string): Promise<FilterAnswer> {
    const pointer = this.options.pointer.current;
    if (!pointer) return UNAVAILABLE;
    const shard = shardOf(key);
    const { candidate } = pointer;
    return candidate ? this.lookupBoth(pointer, candidate, { shard, key }) : this.ask(pointer, shard, key);
  }

  /** Shadow reads and canary reads are drawn independently. */
  private async lookupBoth(
    active: FollowedVersion,
    candidate: NonNullable<FilterPointer["candidate"]>,
    { shard, key }: { shard: number; key: string },
  ): Promise<FilterAnswer> {
    const isCompared = Math.random() * 100 < candidate.shadowPercent;
    const byCanary = Math.random() * 100 < candidate.canaryPercent;
    if (!isCompared) {
      const answer = await this.ask(byCanary ? candidate : active, shard, key);
      return byCanary ? { ...answer, byCanary } : answer;
    }
    const [first, second] = await Promise.all([
      this.ask(active, shard, key),
      this.ask(candidate, shard, key),
    ]);
    const compared = { active: first.answer, candidate: second.answer };
    return byCanary ? { ...second, byCanary, compared } : { ...first, compared };
  }

  private async ask(version: FollowedVersion, shard: number, key: string): Promise<Answer> {
    if (version.full.includes(shard)) return UNAVAILABLE;
    const breaker = this.breakerOf(nodeOf(this.redis, filterKey(shard, version.version)));
    try {
      const engine = this.engines[version.engine];
      const answer = await breaker.execute(() =>
        withDeadline(this.options.deadlineMs, engine.lookup(version, shard, key)),
      );
      if (answer !== "unsealed") return { answer };
      this.unsealedAt.set(shard, Date.now());
      return UNAVAILABLE;
    } catch (error) {
      if (error instanceof BrokenCircuitError) return { answer: "unavailable", reason: "breaker_open" };
      return error instanceof DeadlineError ? { answer: "unavailable", reason: "timeout" } : UNAVAILABLE;
    }
  }

  /** Nodes whose circuit breaker is not closed. */
  get openBreakers(): string[] {
    return [...this.breakers]
      .filter(([, breaker]) => breaker.state !== CircuitState.Closed)
      .map(([node]) => node);
  }

  /** Shards with a lookup without proof in the last ten seconds. */
  get unsealedShards(): number[] {
    const since = Date.now() - UNSEALED_MEMORY_MS;
    return [...this.unsealedAt].filter(([, at]) => at > since).map(([shard]) => shard);
  }

  private breakerOf(node: string): CircuitBreakerPolicy {
    let breaker = this.breakers.get(node);
    if (!breaker) {
      breaker = circuitBreaker(
        handleWhen(error => !isRefusal(error)),
        {
          breaker: new ConsecutiveBreaker(BREAKER.consecutiveFailures),
          halfOpenAfter: new ExponentialBackoff({
            initialDelay: BREAKER.firstRetryMs,
            maxDelay: BREAKER.maxRetryMs,
          }),
        },
      );
      this.breakers.set(node, breaker);
    }
    return breaker;
  }
}

class DeadlineError extends Error {}

/**
 * Rejects when `promise` takes longer. After a busy turn of the event loop, timers fire before sockets
 * are read; setImmediate lets a reply that has already arrived win.
 */
function withDeadline<T>(deadlineMs: number, promise: Promise<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(
      () => setImmediate(() => reject(new DeadlineError("Redis gave no answer within the deadline."))),
      deadlineMs,
    );
    promise.then(
      value => {
        clearTimeout(timer);
        resolve(value);
      },
      error => {
        clearTimeout(timer);
        reject(error);
      },
    );
  });
}

const UNSEALED_MEMORY_MS = 10_000;
const UNAVAILABLE: Answer = { answer: "unavailable", reason: "filter_unavailable" };
