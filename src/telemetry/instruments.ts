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

  /** Null when nobody measured it in the last seconds. */
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
/** One name with its children by the value of its label; "" is the child of a name without a label. */
export type Family = Naming & { label?: string } & (
    | { type: "counter"; children: Record<string, Counter> }
    | { type: "gauge"; children: Record<string, Gauge> }
    | { type: "histogram"; children: Record<string, Histogram> }
  );

/** What one process measures. Everything is counted here, once; Prometheus and the rollups read it. */
export class Instruments {
  readonly families: Family[] = [];

  /** `silent` counts nothing: the other side of the benchmark that tells what counting costs. */
  constructor(private readonly options: { silent?: boolean } = {}) {}

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

  /** One counter per value that comes up, such as a shard; past `max` values they share "other". */
  openCounters(naming: Naming & { label: string; max: number }): (value: string) => Counter {
    const { name, help, label, max } = naming;
    const children: Record<string, Counter> = {};
    let count = 0;
    this.families.push({ name, help, label, type: "counter", children });
    return value => {
      const child = Object.hasOwn(children, value) || count < max ? value : "other";
      if (!Object.hasOwn(children, child)) {
        children[child] = this.newCounter();
        count += 1;
      }
      return children[child]!;
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

/** The name of one child in the rollups: `name`, or `name.labelValue`. */
export function idOf(name: string, child = ""): string {
  return child === "" ? name : `${name}.${child}`;
}
