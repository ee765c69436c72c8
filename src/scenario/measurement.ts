import { type ScenarioFigures, type ScenarioResult, SHARD_RECORDS_PER_SECOND } from "../domain/lab/scenario";
import { percentile } from "../domain/percentile";
import type { ScenarioEngine } from "./scenario-engine";

/** A bucket holds one second of a shard's limit, so the first seconds are not representative. */
const BURST_MS = 2_500;

/** What is counted while a scenario runs. */
export class Measurement {
  sent = 0;
  /** Orders that were not accepted. */
  turnedAway = 0;
  private throttled = 0;
  private readonly perShard: Map<string, number>;
  private startMs = 0;
  private afterBurst: { atMs: number; durable: number } | null = null;
  private ended: { atMs: number; durable: number } | null = null;

  constructor(
    private readonly engine: ScenarioEngine,
    shardIds: readonly string[],
  ) {
    this.perShard = new Map(shardIds.map(id => [id, 0]));
  }

  start(nowMs: number): void {
    this.startMs = nowMs;
  }

  append(shardId: string, taken: readonly boolean[]): void {
    const count = taken.filter(Boolean).length;
    this.perShard.set(shardId, (this.perShard.get(shardId) ?? 0) + count);
    this.throttled += taken.length - count;
  }

  /** Before every order: the rate counts from the end of the first burst. */
  sample(durable: number): void {
    const atMs = Date.now();
    if (!this.afterBurst && atMs - this.startMs > BURST_MS) this.afterBurst = { atMs, durable };
  }

  /** The last order was sent: orders that become durable later belong to the backlog. */
  end(durable: number): void {
    this.ended = { atMs: Date.now(), durable };
  }

  /** The orders that are in the buffers or further. */
  get accepted(): number {
    return this.sent - this.turnedAway;
  }

  /** The figures so far. Orders on their way are not lost, so `lost` is null. */
  figures(durable: number): ScenarioFigures {
    const { engine } = this;
    const records = [...this.perShard.values()];
    const total = records.reduce((sum, count) => sum + count, 0);
    const { latenciesMs } = engine;
    const at = (quantile: number) =>
      latenciesMs.length === 0 ? null : round(percentile(latenciesMs, quantile));
    const perSecond = this.perSecond(durable);
    return {
      violations: engine.violations,
      throttled: this.throttled,
      turnedAway: this.turnedAway,
      lost: null,
      ordersPerSecond: perSecond && Math.round(perSecond),
      capacityInShards: perSecond && round(perSecond / SHARD_RECORDS_PER_SECOND),
      busiestShardRatio: total === 0 ? null : round(Math.max(...records) / total),
      latencyP50Ms: at(0.5),
      latencyP99Ms: at(0.99),
      sent: this.sent,
      received: engine.received,
      recordsPerShard: records,
    };
  }

  /** At the end, when an order that has not reached the engine never will. */
  result(durable: number): ScenarioResult {
    const figures = this.figures(durable);
    return {
      violations: figures.violations!,
      throttled: figures.throttled!,
      turnedAway: this.turnedAway,
      lost: this.accepted - this.engine.seen,
      ordersPerSecond: figures.ordersPerSecond ?? 0,
      capacityInShards: figures.capacityInShards ?? 0,
      busiestShardRatio: figures.busiestShardRatio ?? 0,
      latencyP50Ms: figures.latencyP50Ms ?? 0,
      latencyP99Ms: figures.latencyP99Ms ?? 0,
    };
  }

  private perSecond(durableNow: number): number | null {
    if (!this.afterBurst) return null;
    const { atMs, durable } = this.ended ?? { atMs: Date.now(), durable: durableNow };
    const tookMs = atMs - this.afterBurst.atMs;
    return tookMs <= 0 ? null : ((durable - this.afterBurst.durable) / tookMs) * 1_000;
  }
}

function round(value: number): number {
  return Math.round(value * 100) / 100;
}
