import { pausedKey, registryKey } from "./order-keys";
import type { RedisClient } from "./redis";

/** A producer's watermark: all its orders up to `throughUs` are durable, except for some symbols. */
export type Watermark = {
  throughUs: number;
  mapVersion: number;
  /** Symbols with orders in flight: up to which time they are durable, and the slow shard. */
  except: Record<string, { throughUs: number; shardId: string }>;
};

export type JoinedProducer = { producer: number; startUs: number; nowUs: number };
export type PublishAnswer =
  | { joined: false }
  | { joined: true; nowUs: number; paused: Record<string, number> };
export type ProducerView = Watermark & { producer: number; seenUs: number };
export type RegistryView = {
  nowUs: number;
  floorUs: number;
  /** The number of the producer that joined last. */
  lastProducer: number;
  mapVersion: number;
  /** A producer without watermarks has written in the last minutes. */
  hasUnregistered: boolean;
  producers: ProducerView[];
};

const UNREGISTERED_FOR_US = 600_000_000;
const PAUSED_KEPT_MS = 60_000;

/** The registry of producers; see store/lua/highest-stamp.lua for why no stamp of a new producer can be late. */
export interface ProducerRegistry {
  join(mapVersion: number): Promise<JoinedProducer>;
  publish(producer: number, watermark: Watermark): Promise<PublishAnswer>;
  leave(producer: number): Promise<void>;
  /** Removes a producer that is fenced, unless it has published since `seenUs`. Resolves to whether it is gone. */
  evict(producer: number, seenUs: number): Promise<boolean>;
  view(unregisteredLagUs: number): Promise<RegistryView>;
  noteUnregistered(): Promise<void>;
  /** Symbols that producers must not take at the moment, and until when (ms since 1970). */
  setPaused(paused: Record<string, number>): Promise<void>;
}

export class RedisProducerRegistry implements ProducerRegistry {
  private readonly key: string;
  private readonly paused: string;

  constructor(
    private readonly redis: RedisClient,
    log: string,
  ) {
    this.key = registryKey(log);
    this.paused = pausedKey(log);
  }

  async join(mapVersion: number): Promise<JoinedProducer> {
    const [producer, startUs, nowUs] = (await this.redis.registryJoin(this.key, mapVersion)) as unknown[];
    return { producer: Number(producer), startUs: Number(startUs), nowUs: Number(nowUs) };
  }

  async publish(producer: number, { throughUs, mapVersion, except }: Watermark): Promise<PublishAnswer> {
    const args = [producer, throughUs, mapVersion, JSON.stringify(except)];
    const reply = (await this.redis.registryPublish(this.key, this.paused, ...args)) as unknown[];
    if (Number(reply[0]) !== 1) return { joined: false };
    const flat = reply[2] as string[];
    const paused: Record<string, number> = {};
    for (let i = 0; i < flat.length; i += 2) paused[flat[i]!] = Number(flat[i + 1]);
    return { joined: true, nowUs: Number(reply[1]), paused };
  }

  async leave(producer: number): Promise<void> {
    await this.redis.registryLeave(this.key, producer);
  }

  async evict(producer: number, seenUs: number): Promise<boolean> {
    return Number(await this.redis.registryLeave(this.key, producer, seenUs)) === 1;
  }

  async view(unregisteredLagUs: number): Promise<RegistryView> {
    const reply = (await this.redis.registryView(this.key, unregisteredLagUs)) as [string, string, string[]];
    const view: RegistryView = {
      nowUs: Number(reply[0]),
      floorUs: Number(reply[1]),
      lastProducer: 0,
      mapVersion: 0,
      hasUnregistered: false,
      producers: [],
    };
    const all = reply[2];
    for (let i = 0; i < all.length; i += 2) {
      const field = all[i]!;
      const value = all[i + 1]!;
      if (field.startsWith("p:")) view.producers.push(readProducer(Number(field.slice(2)), value));
      else if (field === "next") view.lastProducer = Number(value);
      else if (field === "map") view.mapVersion = Number(value);
      else if (field === "unregistered")
        view.hasUnregistered = view.nowUs - Number(value) < UNREGISTERED_FOR_US;
    }
    return view;
  }

  async noteUnregistered(): Promise<void> {
    const [seconds, micros] = await this.redis.time();
    await this.redis.hset(this.key, "unregistered", Number(seconds) * 1_000_000 + Number(micros));
  }

  async setPaused(paused: Record<string, number>): Promise<void> {
    if (Object.keys(paused).length === 0) return;
    await this.redis.hset(this.paused, paused);
    await this.redis.pexpire(this.paused, PAUSED_KEPT_MS);
  }
}

function readProducer(producer: number, value: string): ProducerView {
  const [throughUs, seenUs, mapVersion] = value.split(" ", 3).map(Number);
  const except = JSON.parse(value.slice(value.indexOf("{"))) as Watermark["except"];
  return { producer, throughUs: throughUs!, seenUs: seenUs!, mapVersion: mapVersion!, except };
}
