import { Aggregator } from "../../aggregate/aggregator";
import { LeaseLost } from "../../aggregate/ordered-output";
import { WatermarkEmitter } from "../../aggregate/watermark-emitter";
import { PARTITIONS } from "../../domain/orders/order-partition";
import { SimulatedLog } from "./simulated-log";
import { SimulatedOutput } from "./simulated-output";
import { SimulatedRegistry } from "./simulated-registry";
import type { Actor, World } from "./world";

/** An aggregator process: it may lose its state at any moment, and two may think they own the same. */
export class SimulatedAggregator {
  actor: Actor = { isAlive: true };
  private aggregator: Aggregator | null = null;
  private emitter: WatermarkEmitter;
  private readonly busy = new Set<string>();

  constructor(
    private readonly world: World,
    readonly epoch: number,
    private readonly onDuplicates: (count: number) => void = () => {},
  ) {
    this.emitter = new WatermarkEmitter({
      log: new SimulatedLog(world, this.actor),
      registry: new SimulatedRegistry(world, this.actor),
      silenceUs: 200_000,
      windowUs: 200_000,
      minIntervalUs: 0,
      maxGapUs: 250_000,
      highestReadUs: () => this.aggregator?.highestReadUs ?? 0,
      clockUs: () => world.nowUs,
    });
  }

  get bufferedEvents(): number {
    return this.aggregator?.bufferedEvents ?? 0;
  }

  kill(): void {
    this.actor.isAlive = false;
  }

  work(): void {
    const { world } = this;
    if (world.chance(0.4)) this.run("watermark", () => this.emitter.emitOnce());
    else
      this.run("step", async () => {
        try {
          this.aggregator ??= await this.start();
          await this.aggregator.step();
          if (world.chance(0.2)) await this.aggregator.writeCheckpoint();
        } catch (error) {
          if (!(error instanceof Error)) throw error;
          this.aggregator = null;
          if (error instanceof LeaseLost) this.kill();
        }
      });
  }

  private start(): Promise<Aggregator> {
    const { world, actor, epoch } = this;
    return Aggregator.start({
      log: new SimulatedLog(world, actor),
      output: new SimulatedOutput(world, actor),
      deadLetters: {
        add: async events => {
          await world.turn(actor);
          for (const event of events) world.deadLetters.set(event.id, event);
          return events.length;
        },
      },
      leases: new Map(Array.from({ length: PARTITIONS }, (_, partition) => [partition, epoch])),
      nowUs: () => world.nowUs,
      settings: { readLimit: 6, maxBufferedEvents: 20, maxBehind: 1_000_000 },
      onReshard: () => this.emitter.forgetMap(),
      on: { duplicates: this.onDuplicates },
    });
  }

  private run(what: string, work: () => Promise<unknown>): void {
    if (!this.actor.isAlive || this.busy.has(what)) return;
    this.busy.add(what);
    work().then(
      () => this.busy.delete(what),
      () => this.busy.delete(what),
    );
  }
}
