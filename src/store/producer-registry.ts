import { holdsKey, registryKey } from "./order-keys";
import type { RedisClient } from "./redis";

/** What a producer says of itself: all its orders up to `throughUs` are durable, except for some symbols. */
export type Watermark = {
  throughUs: number;
  mapVersion: number;
  /** Symbols with orders on their way: up to which time they are durable, and the shard that is slow. */
  except: Record<string, { throughUs: number; shardId: string }>;
};

export type JoinedProducer = { producer: number; startUs: number; nowUs: number };
export type PublishAnswer =
  | { joined: false }
  | { joined: true; nowUs: number; holds: Record<string, number> };
export type ProducerView = Watermark & { producer: number; seenUs: number };
export type RegistryView = {
  nowUs: number;
  floorUs: number;
  /** The number that the last one who joined got. */
  lastProducer: number;
  mapVersion: number;
  /** A producer without watermarks has written in the last minutes. */
  hasForeign: boolean;
  producers: ProducerView[];
};

const FOREIGN_FOR_US = 600_000_000;
const HOLDS_KEPT_MS = 60_000;

/** The registry of producers; see store/order-scripts.ts for why nobody who joins can be too late. */
export interface ProducerRegistry {
  join(mapVersion: number): Promise<JoinedProducer>;
  publish(producer: number, watermark: Watermark): Promise<PublishAnswer>;
  leave(producer: number): Promise<void>;
  /** Removes a producer that is fenced, unless it has published since `seenUs`. Resolves to whether it is gone. */
  expel(producer: number, seenUs: number): Promise<boolean>;
  view(foreignLagUs: number): Promise<RegistryView>;
  noteForeign(): Promise<void>;
  /** Symbols that producers must not take at the moment, and until when (ms since 1970). */
  setHolds(holds: Record<string, number>): Promise<void>;
}

export class RedisProducerRegistry implements ProducerRegistry {
  private readonly key: string;
  private readonly holds: string;

  constructor(
    private readonly redis: RedisClient,
    log: string,
  ) {
    this.key = registryKey(log);
    this.holds = holdsKey(log);
  }

  async join(mapVersion: number): Promise<JoinedProducer> {
    const [producer, startUs, nowUs] = (await this.redis.registryJoin(this.key, mapVersion)) as unknown[];
    return { producer: Number(producer), startUs: Number(startUs), nowUs: Number(nowUs) };
  }

  async publish(producer: number, { throughUs, mapVersion, except }: Watermark): Promise<PublishAnswer> {
    const args = [producer, throughUs, mapVersion, JSON.stringify(except)];
    const reply = (await this.redis.registryPublish(this.key, this.holds, ...args)) as unknown[];
    if (Number(reply[0]) !== 1) return { joined: false };
    const flat = reply[2] as string[];
    const holds: Record<string, number> = {};
    for (let i = 0; i < flat.length; i += 2) holds[flat[i]!] = Number(flat[i + 1]);
    return { joined: true, nowUs: Number(reply[1]), holds };
  }

  async leave(producer: number): Promise<void> {
    await this.redis.registryLeave(this.key, producer);
  }

  async expel(producer: number, seenUs: number): Promise<boolean> {
    return Number(await this.redis.registryLeave(this.key, producer, seenUs)) === 1;
  }

  async view(foreignLagUs: number): Promise<RegistryView> {
    const reply = (await this.redis.registryView(this.key, foreignLagUs)) as [string, string, string[]];
    const view: RegistryView = {
      nowUs: Number(reply[0]),
      floorUs: Number(reply[1]),
      lastProducer: 0,
      mapVersion: 0,
      hasForeign: false,
      producers: [],
    };
    const all = reply[2];
    for (let i = 0; i < all.length; i += 2) {
      const field = all[i]!;
      const value = all[i + 1]!;
      if (field.startsWith("p:")) view.producers.push(readProducer(Number(field.slice(2)), value));
      else if (field === "next") view.lastProducer = Number(value);
      else if (field === "map") view.mapVersion = Number(value);
      else if (field === "foreign") view.hasForeign = view.nowUs - Number(value) < FOREIGN_FOR_US;
    }
    return view;
  }

  async noteForeign(): Promise<void> {
    const [seconds, micros] = await this.redis.time();
    await this.redis.hset(this.key, "foreign", Number(seconds) * 1_000_000 + Number(micros));
  }

  async setHolds(holds: Record<string, number>): Promise<void> {
    if (Object.keys(holds).length === 0) return;
    await this.redis.hset(this.holds, holds);
    await this.redis.pexpire(this.holds, HOLDS_KEPT_MS);
  }
}

function readProducer(producer: number, value: string): ProducerView {
  const [throughUs, seenUs, mapVersion] = value.split(" ", 3).map(Number);
  const except = JSON.parse(value.slice(value.indexOf("{"))) as Watermark["except"];
  return { producer, throughUs: throughUs!, seenUs: seenUs!, mapVersion: mapVersion!, except };
}
