import type { ShardMap } from "../../domain/orders/hash-range";
import type { SubKey } from "../../domain/orders/split-placement";
import { OrderProducer } from "../../orders/producer";
import type { Receipt } from "../../orders/receipt";
import { SharedClock } from "../../orders/shared-clock";
import { SimulatedLog } from "./simulated-log";
import { SimulatedRegistry } from "./simulated-registry";
import type { Actor, World } from "./world";

/** Submitted orders, and the receipts of their caller. */
export type Submitted = { symbol: string; orderId: string; accountId: string; receipt: Receipt };

/** A producer's process. */
export class SimulatedProducer {
  readonly actor: Actor = { isAlive: true };
  readonly producer: OrderProducer;
  private readonly busy = new Set<string>();
  private readonly plans: Map<string, number>;

  /** @param plans the factor per symbol, as this producer sees it: it follows changes with a delay */
  constructor(
    private readonly world: World,
    readonly name: string,
    livePlans: ReadonlyMap<string, number>,
  ) {
    this.plans = new Map(livePlans);
    const skewUs = (world.random() - 0.5) * 1_000_000;
    this.producer = new OrderProducer({
      log: new SimulatedLog(world, this.actor),
      registry: new SimulatedRegistry(world, this.actor),
      clock: new SharedClock(() => world.nowUs + skewUs),
      route: (symbol, _account, map) => world.pick(this.subKeysOf(symbol, map)),
      isPlaced: (symbol, partitionKey, map) =>
        this.subKeysOf(symbol, map).some(subKey => subKey.partitionKey === partitionKey),
      settings: {
        silenceMs: 200,
        maxBuffered: 1_000,
        backoffMs: 1,
        maxBackoffMs: 1,
        maxRecordBytes: 1_048_576,
        maxOrdersPerRecord: 1 + Math.floor(world.random() * 4),
        restampedAtOnce: 1 + Math.floor(world.random() * 4),
      },
      random: world.random,
    });
  }

  follow(plans: ReadonlyMap<string, number>): void {
    for (const [symbol, factor] of plans) this.plans.set(symbol, factor);
  }

  /** Starts one piece of work that is not going on already. */
  work(): void {
    const queues = this.producer.pendingQueues();
    if (this.world.chance(0.2)) this.producer.followPlans();
    if (this.producer.needsMap && this.run("map", () => this.producer.refreshMap())) return;
    if (queues.length > 0 && this.world.chance(0.7)) {
      const queue = this.world.pick(queues);
      this.run(queue, () => this.producer.stepQueue(queue));
    } else if (this.world.chance(0.1)) this.run("map", () => this.producer.refreshMap());
    else this.run("registry", () => this.producer.publish());
  }

  private subKeysOf(symbol: string, map: ShardMap): SubKey[] {
    return this.world.place(symbol, this.plans.get(symbol) ?? 1, map);
  }

  private run(what: string, work: () => Promise<unknown>): boolean {
    if (!this.actor.isAlive || this.busy.has(what)) return false;
    this.busy.add(what);
    work().then(
      () => this.busy.delete(what),
      () => this.busy.delete(what),
    );
    return true;
  }
}
