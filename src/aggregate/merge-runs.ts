import { compareStamps, type Stamp } from "../domain/orders/order-stamp";
import type { OrderRun } from "../store/codec/order-record";
import type { Span } from "../store/codec/ordered-frame";

/** A run of orders as it was read, and where. */
export type PlacedRun = {
  run: OrderRun;
  shardId: string;
  position: string;
  /** The position before this record, to read it again from there. */
  before: string;
  /** Counts the records read from the shard. */
  readNumber: number;
  /** When it was read, ms since 1970. */
  readMs: number;
};

/** Runs of one producer on one shard, each beginning where the one before ended or later. */
export class RunChain {
  private readonly runs: PlacedRun[] = [];
  private first = 0;
  private index: number;
  /** The head's stamp, cached for the merge. */
  timeUs = 0;
  sequence = 0;
  readonly producer: number;

  constructor(placed: PlacedRun, from: number) {
    this.runs.push(placed);
    this.index = from;
    this.producer = placed.run.producer;
    this.load();
  }

  get isEmpty(): boolean {
    return this.first >= this.runs.length;
  }

  /** The record whose order is next. */
  get head(): PlacedRun {
    return this.runs[this.first]!;
  }

  /** Whether the run continues this chain. */
  accepts({ run }: PlacedRun): boolean {
    const last = this.runs.at(-1)!.run;
    const end = last.count - 1;
    return (
      run.timesUs[0]! > last.timesUs[end]! ||
      (run.timesUs[0] === last.timesUs[end] && run.sequences[0]! > last.sequences[end]!)
    );
  }

  push(placed: PlacedRun): void {
    this.runs.push(placed);
  }

  /** Takes orders of one record: the next one, and those behind it up to a time and before another chain's. */
  take(throughUs: number, other: Stamp | null): Span {
    const { run } = this.head;
    const { timesUs, sequences, count } = run;
    const from = this.index;
    let to = from + 1;
    while (to < count && timesUs[to]! <= throughUs) {
      this.timeUs = timesUs[to]!;
      this.sequence = sequences[to]!;
      if (other !== null && compareStamps(this, other) >= 0) break;
      to += 1;
    }
    this.goTo(to);
    return { run, from, to };
  }

  /** Leaves the next order out. */
  skip(): void {
    this.goTo(this.index + 1);
  }

  private goTo(index: number): void {
    this.index = index;
    if (index >= this.head.run.count) {
      this.first += 1;
      this.index = 0;
      if (this.first > 64 && this.first * 2 > this.runs.length) {
        this.runs.splice(0, this.first);
        this.first = 0;
      }
    }
    if (!this.isEmpty) this.load();
  }

  /** Calls back with each record that still has orders in it. */
  forEachRun(visit: (placed: PlacedRun) => void): void {
    for (let i = this.first; i < this.runs.length; i += 1) visit(this.runs[i]!);
  }

  private load(): void {
    const { run } = this.head;
    this.timeUs = run.timesUs[this.index]!;
    this.sequence = run.sequences[this.index]!;
  }
}

/** Sorted orders, as spans of their records. */
export type Merged = {
  spans: Span[];
  count: number;
  last: Stamp;
  duplicates: number;
  /** The record of the first order, which has waited longest; null when there is none. */
  oldest: PlacedRun | null;
};

/**
 * Takes every order with a time up to `throughUs` out of the chains, in order of stamps, each stamp
 * once. Cost: a comparison per order, and log(chains) where the next order is another chain's.
 */
export function mergeRuns(chains: readonly RunChain[], throughUs: number, last: Stamp): Merged {
  const merged: Merged = { spans: [], count: 0, last, duplicates: 0, oldest: null };
  const heap = chains.filter(chain => !chain.isEmpty && chain.timeUs <= throughUs);
  for (let i = (heap.length >> 1) - 1; i >= 0; i -= 1) sink(heap, i);
  while (heap.length > 0) {
    const top = heap[0]!;
    if (compareStamps(top, merged.last) === 0) {
      merged.duplicates += 1;
      top.skip();
    } else {
      merged.oldest ??= top.head;
      const span = top.take(throughUs, secondOf(heap));
      merged.spans.push(span);
      merged.count += span.to - span.from;
      merged.last = stampAt(span.run, span.to - 1);
    }
    if (top.isEmpty || top.timeUs > throughUs) {
      const tail = heap.pop()!;
      if (heap.length > 0 && tail !== top) heap[0] = tail;
    }
    if (heap.length > 0) sink(heap, 0);
  }
  return merged;
}

/** The chain whose order comes next when the top is left out. */
function secondOf(heap: readonly RunChain[]): RunChain | null {
  const [, left, right] = heap;
  if (!left || !right) return left ?? null;
  return compareStamps(left, right) < 0 ? left : right;
}

export function stampAt(run: OrderRun, index: number): Stamp {
  return { timeUs: run.timesUs[index]!, producer: run.producer, sequence: run.sequences[index]! };
}

function sink(heap: RunChain[], start: number): void {
  const item = heap[start]!;
  let at = start;
  for (;;) {
    let child = at * 2 + 1;
    if (child >= heap.length) break;
    if (child + 1 < heap.length && compareStamps(heap[child + 1]!, heap[child]!) < 0) child += 1;
    if (compareStamps(heap[child]!, item) >= 0) break;
    heap[at] = heap[child]!;
    at = child;
  }
  heap[at] = item;
}
