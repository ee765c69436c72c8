import { bucketOf, LAST_BUCKET } from "./latency-buckets";

/** Counts since the start of the process. A call is one addition: children are bound beforehand. */
export class Counter {
  total = 0;
  inc(by = 1): void {
    this.total += by;
  }
}

/** The last value, and when it was measured: an old one is unknown, not true. */
export class Gauge {
  private value = 0;
  private setAtMs = Number.NEGATIVE_INFINITY;

  set(value: number): void {
    this.value = value;
    this.setAtMs = performance.now();
  }

  /** Null when it was not measured in the last seconds. */
  read(): number | null {
    return performance.now() - this.setAtMs <= FRESH_MS ? this.value : null;
  }
}

const FRESH_MS = 3_000;

/** Durations since the start of the process, in the buckets of latency-buckets.ts. */
export class Histogram {
  readonly counts = new Float64Array(LAST_BUCKET + 1);
  sumMs = 0;
  observeMs(ms: number): void {
    this.counts[bucketOf(ms)]! += 1;
    this.sumMs += ms;
  }
}

class SilentCounter extends Counter {
  override inc(): void {}
}
class SilentHistogram extends Histogram {
  override observeMs(): void {}
}

type Naming = { name: string; help: string };
/** `free` forgets a child of a family whose values come and go. `keptMs`: rollups that keep longer leave it out. */
type CounterFamily = {
  type: "counter";
  children: Record<string, Counter>;
  free?: (child: string) => void;
  keptMs?: number;
};
/** One name with its children by the value of its label; "" is the child of a name without a label. */
export type Family = Naming & { label?: string } & (
    | CounterFamily
    | { type: "gauge"; children: Record<string, Gauge> }
    | { type: "histogram"; children: Record<string, Histogram> }
  );

type OpenNaming = Naming & {
  label: string;
  max: number;
  /** For how long readers need it from the rollups, milliseconds; without a limit if left out. */
  keptMs?: number;
};

/** The child that counts all values past the maximum. */
export const OTHER = "other";

/** What one process measures. Everything is counted here, once; Prometheus and the rollups read it. */
export class Instruments {
  readonly families: Family[] = [];

  /**
   * `silent` counts nothing: the baseline of the benchmark that measures the cost of counting. `onFull` is
   * called once for each name that has met its maximum.
   */
  constructor(private readonly options: { silent?: boolean; onFull?: (problem: Error) => void } = {}) {}

  counter(naming: Naming): Counter {
    const counter = this.newCounter();
    this.families.push({ ...naming, type: "counter", children: { "": counter } });
    return counter;
  }

  /** One counter per value of the label. */
  counters<Value extends string>(
    naming: Naming & { label: string; values: readonly Value[] },
  ): Record<Value, Counter> {
    const { name, help, label, values } = naming;
    const children = Object.fromEntries(values.map(value => [value, this.newCounter()]));
    this.families.push({ name, help, label, type: "counter", children });
    return children as Record<Value, Counter>;
  }

  /**
   * One counter per value that comes up, such as a shard; past `max` values they share "other". Callers
   * request it at each count, since a value without counts for long is forgotten, see Collector.
   */
  openCounters(naming: OpenNaming): (value: string) => Counter {
    const { name, help, label, max, keptMs } = naming;
    const children: Record<string, Counter> = Object.create(null);
    let count = 0;
    let wasFull = false;
    const free = (child: string) => {
      delete children[child];
      if (child !== OTHER) count -= 1;
    };
    this.families.push({ name, help, label, type: "counter", children, free, keptMs });
    if (this.options.silent) {
      const silent = this.newCounter();
      return () => silent;
    }
    return value => {
      const known = children[value];
      if (known) return known;
      const isFull = count >= max;
      if (isFull && !wasFull) {
        wasFull = true;
        this.options.onFull?.(new Error(`${name} counts ${max} values apart, and all others as "${OTHER}"`));
      }
      if (isFull) {
        children[OTHER] ??= this.newCounter();
        return children[OTHER];
      }
      children[value] = this.newCounter();
      count += 1;
      return children[value];
    };
  }

  gauge(naming: Naming): Gauge {
    const gauge = new Gauge();
    this.families.push({ ...naming, type: "gauge", children: { "": gauge } });
    return gauge;
  }

  histogram(naming: Naming): Histogram {
    const histogram = this.options.silent ? new SilentHistogram() : new Histogram();
    this.families.push({ ...naming, type: "histogram", children: { "": histogram } });
    return histogram;
  }

  private newCounter(): Counter {
    return this.options.silent ? new SilentCounter() : new Counter();
  }
}

/**
 * What was counted of one child: 0 where nothing was, null (unknown) where a process had no room for
 * more names. `sums` must have been asked for `other` too.
 */
export function sumOf(sums: ReadonlyMap<string, number | null>, name: string, child: string): number | null {
  const sum = sums.get(idOf(name, child));
  if (sum != null) return sum;
  return (sums.get(idOf(name, OTHER)) ?? 0) > 0 ? null : 0;
}

/** The name of one child in the rollups: `name`, or `name.labelValue`. */
export function idOf(name: string, child = ""): string {
  return child === "" ? name : `${name}.${child}`;
}
