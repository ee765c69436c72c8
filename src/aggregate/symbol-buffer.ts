import { compareStamps, type Stamp } from "../domain/orders/order-stamp";
import type { OrderRun } from "../store/codec/order-record";
import { type Merged, mergeRuns, type PlacedRun, RunChain, stampAt } from "./merge-runs";

/** What is stored beside a symbol's ordered stream. */
export type Head = {
  /** Orders written so far; the position of the last one. */
  position: number;
  last: Stamp;
  /** Per shard, the last record of this symbol that had been read when `last` was written. */
  frontier: ReadonlyMap<string, string>;
};

/** An order at or below the last stamp that was written: a repeat, or late. */
export type StaleOrder = { placed: PlacedRun; index: number };

/**
 * The reorder buffer of one symbol. An order at or below the last stamp has either been handled before
 * (its record is not after the frontier: we read again after a crash), or it is stale.
 */
export class SymbolBuffer {
  position: number;
  last: Stamp;
  readonly frontier: Map<string, string>;
  /** Orders in this buffer. */
  bufferedEvents = 0;
  private chains: RunChain[] = [];
  private readonly open = new Map<string, RunChain>();

  constructor(
    readonly symbol: string,
    head: Head,
  ) {
    this.position = head.position;
    this.last = head.last;
    this.frontier = new Map(head.frontier);
  }

  add(placed: PlacedRun, isAfter: (position: string, other: string) => boolean): StaleOrder[] {
    const { run, shardId, position } = placed;
    const passed = this.frontier.get(shardId);
    const isNew = passed === undefined || isAfter(position, passed);
    if (isNew) this.frontier.set(shardId, position);
    const { first, isRising } = this.firstFresh(run);
    // An unregistered producer may pack orders as they come: each one is then a run of its own.
    if (!isRising) return this.addEach(placed, isNew);
    const stale: StaleOrder[] = [];
    if (isNew) for (let index = 0; index < first; index += 1) stale.push({ placed, index });
    if (first < run.count) this.chain(placed, first);
    return stale;
  }

  /** Takes out what is complete up to a time. */
  release(throughUs: number): Merged {
    const merged = mergeRuns(this.chains, throughUs, this.last);
    this.last = merged.last;
    this.bufferedEvents -= merged.count + merged.duplicates;
    this.chains = this.chains.filter(chain => !chain.isEmpty);
    for (const [key, chain] of this.open) if (chain.isEmpty) this.open.delete(key);
    return merged;
  }

  forEachRun(visit: (placed: PlacedRun) => void): void {
    for (const chain of this.chains) chain.forEachRun(visit);
  }

  private chain(placed: PlacedRun, first: number): void {
    this.bufferedEvents += placed.run.count - first;
    const key = `${placed.run.producer} ${placed.shardId}`;
    const chain = this.open.get(key);
    if (first === 0 && chain?.accepts(placed)) {
      chain.push(placed);
      return;
    }
    const fresh = new RunChain(placed, first);
    this.chains.push(fresh);
    this.open.set(key, fresh);
  }

  private firstFresh({ count, producer, timesUs, sequences }: OrderRun): {
    first: number;
    isRising: boolean;
  } {
    for (let i = 1; i < count; i += 1) {
      const isLater =
        timesUs[i - 1]! < timesUs[i]! || (timesUs[i - 1] === timesUs[i] && sequences[i - 1]! < sequences[i]!);
      if (!isLater) return { first: 0, isRising: false };
    }
    let first = 0;
    const stamp = { timeUs: 0, producer, sequence: 0 };
    for (; first < count; first += 1) {
      stamp.timeUs = timesUs[first]!;
      stamp.sequence = sequences[first]!;
      if (compareStamps(stamp, this.last) > 0) break;
    }
    return { first, isRising: true };
  }

  private addEach(placed: PlacedRun, isNew: boolean): StaleOrder[] {
    const stale: StaleOrder[] = [];
    for (let index = 0; index < placed.run.count; index += 1) {
      const single = { ...placed, run: sliceRun(placed.run, index) };
      if (compareStamps(stampAt(placed.run, index), this.last) > 0) {
        this.bufferedEvents += 1;
        this.chains.push(new RunChain(single, 0));
      } else if (isNew) stale.push({ placed, index });
    }
    return stale;
  }
}

function sliceRun(run: OrderRun, index: number): OrderRun {
  return {
    ...run,
    count: 1,
    timesUs: run.timesUs.slice(index, index + 1),
    sequences: run.sequences.slice(index, index + 1),
    offsets: run.offsets.slice(index, index + 2),
  };
}
