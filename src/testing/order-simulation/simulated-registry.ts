import type { ProducerId, ProducerRegistry, RegistryView, Watermark } from "../../store/producer-registry";
import type { Actor, World } from "./world";

/** The registry's scripts, each of which runs between two turns. */
export class SimulatedRegistry implements ProducerRegistry {
  constructor(
    private readonly world: World,
    private readonly actor: Actor,
  ) {}

  private highest(): number {
    return Math.max(this.world.floorUs, ...[...this.world.registry.values()].map(view => view.throughUs));
  }

  async join(mapVersion: number) {
    const { world } = this;
    await world.turn(this.actor);
    const startUs = Math.max(world.redisUs, this.highest());
    const producer = world.nextProducer++;
    const view = { producer, throughUs: startUs, seenUs: world.redisUs, mapVersion, except: {} };
    world.registry.set(producer, view);
    const nowUs = world.redisUs;
    await world.turn(this.actor);
    return { producer, incarnation: "", startUs, nowUs };
  }

  async publish({ producer }: ProducerId, watermark: Watermark) {
    const { world } = this;
    await world.turn(this.actor);
    const known = world.registry.get(producer);
    if (!known) return { joined: false as const };
    if (known.throughUs <= watermark.throughUs) {
      world.nowUs += 1;
      world.registry.set(producer, { ...watermark, producer, seenUs: world.redisUs });
    }
    world.floorUs = Math.max(world.floorUs, known.throughUs, watermark.throughUs);
    world.registryMap = Math.max(world.registryMap, watermark.mapVersion);
    const nowUs = world.redisUs;
    await world.turn(this.actor);
    return { joined: true as const, nowUs, highestUs: world.floorUs, pausedUs: {} };
  }

  async leave({ producer }: ProducerId): Promise<void> {
    await this.world.turn(this.actor);
    this.world.floorUs = this.highest();
    this.world.registry.delete(producer);
  }

  async evict(producer: number, seenUs: number): Promise<boolean> {
    await this.world.turn(this.actor);
    const known = this.world.registry.get(producer);
    if (known && known.seenUs !== seenUs) return false;
    if (known) {
      this.world.floorUs = this.highest();
      this.world.registry.delete(producer);
      this.world.evicted.add(producer);
    }
    return true;
  }

  async view(): Promise<RegistryView> {
    const { world } = this;
    await world.turn(this.actor);
    if (world.registry.size === 0) world.floorUs = Math.max(world.floorUs, world.redisUs);
    world.readAtUs = Math.max(world.redisUs, world.readAtUs + 1);
    const view = {
      nowUs: world.redisUs,
      floorUs: world.floorUs,
      readAtUs: world.readAtUs,
      lastProducer: world.nextProducer - 1,
      mapVersion: world.registryMap,
      hasUnregistered: false,
      producers: [...world.registry.values()],
    };
    await world.turn(this.actor);
    return view;
  }

  async noteUnregistered(): Promise<void> {}
  async setPaused(): Promise<void> {}
  async raise({ lastUs }: { lastUs: number }): Promise<void> {
    await this.world.turn(this.actor);
    this.world.floorUs = Math.max(this.world.floorUs, lastUs);
  }
}
