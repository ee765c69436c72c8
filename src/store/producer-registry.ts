import { randomBytes } from "node:crypto";
import { pausedKey, registryKey } from "./order-keys";
import type { RedisClient } from "./redis";

/** A producer's watermark: all its orders up to `throughUs` are durable, except for some symbols. */
export type Watermark = {
  throughUs: number;
  mapVersion: number;
  /** Symbols with orders in flight: up to which time they are durable, and the slow shard. */
  except: Record<string, { throughUs: number; shardId: string }>;
};

/** A producer's number, and what tells it from another one: a registry that was lost gives numbers twice. */
export type ProducerId = { producer: number; incarnation: string };
/** What a producer that joins again had before. */
export type FormerProducer = { producer: number; lastUs: number };
export type JoinedProducer = ProducerId & { startUs: number; nowUs: number };
export type PublishAnswer =
  | { joined: false }
  | {
      joined: true;
      nowUs: number;
      /** The highest stamp of all producers: after a step back of the clock, stamps continue from there. */
      highestUs: number;
      /** Symbols that must not be taken at the moment, and for how long (µs). */
      pausedUs: Record<string, number>;
    };
export type ProducerView = Watermark & { producer: number; seenUs: number };
export type RegistryView = {
  nowUs: number;
  /** No stamp of a producer that joins later is at or below it. */
  floorUs: number;
  /** Numbers views in their order, close to the clock; never goes back, as the clock may. */
  readAtUs: number;
  /** The number of the producer that joined last. */
  lastProducer: number;
  mapVersion: number;
  /** A producer without watermarks has written in the last minutes. */
  hasUnregistered: boolean;
  producers: ProducerView[];
};

const UNREGISTERED_FOR_US = 600_000_000;
const PAUSED_KEPT_MS = 60_000;
/** A longer pause was stored by a clock that has stepped back since. */
const MAX_PAUSE_US = 5_000_000;

/** The registry of producers; see store/lua/highest-stamp.lua for why no stamp of a new producer can be late. */
export interface ProducerRegistry {
  join(mapVersion: number, former?: FormerProducer): Promise<JoinedProducer>;
  publish(id: ProducerId, watermark: Watermark): Promise<PublishAnswer>;
  leave(id: ProducerId): Promise<void>;
  /** Removes a producer that is fenced, unless it has published since `seenUs`. Resolves to whether it is gone. */
  evict(producer: number, seenUs: number): Promise<boolean>;
  view(unregisteredLagUs: number): Promise<RegistryView>;
  noteUnregistered(): Promise<void>;
  /** Producers must not take these symbols for a time, at most 5 s. */
  setPaused(symbols: readonly string[], forMs: number): Promise<void>;
  /** Producers that join from now on get higher stamps and numbers than these. */
  raise(remembered: FormerProducer): Promise<void>;
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

  async join(mapVersion: number, former: FormerProducer = NONE): Promise<JoinedProducer> {
    const incarnation = randomBytes(6).toString("hex");
    const args = [mapVersion, incarnation, former.producer, former.lastUs];
    const [producer, startUs, nowUs] = (await this.redis.registryJoin(this.key, ...args)) as unknown[];
    return { producer: Number(producer), incarnation, startUs: Number(startUs), nowUs: Number(nowUs) };
  }

  async publish(id: ProducerId, { throughUs, mapVersion, except }: Watermark): Promise<PublishAnswer> {
    const args = [id.producer, id.incarnation, throughUs, mapVersion, JSON.stringify(except), MAX_PAUSE_US];
    const reply = (await this.redis.registryPublish(this.key, this.paused, ...args)) as unknown[];
    if (Number(reply[0]) !== 1) return { joined: false };
    const flat = reply[3] as string[];
    const pausedUs: Record<string, number> = {};
    for (let i = 0; i < flat.length; i += 2) pausedUs[flat[i]!] = Number(flat[i + 1]);
    return { joined: true, nowUs: Number(reply[1]), highestUs: Number(reply[2]), pausedUs };
  }

  async leave({ producer, incarnation }: ProducerId): Promise<void> {
    await this.redis.registryLeave(this.key, producer, incarnation);
  }

  async evict(producer: number, seenUs: number): Promise<boolean> {
    return Number(await this.redis.registryLeave(this.key, producer, "", seenUs)) === 1;
  }

  async view(unregisteredLagUs: number): Promise<RegistryView> {
    const reply = (await this.redis.registryView(this.key, unregisteredLagUs)) as [
      string,
      string,
      string,
      string[],
    ];
    const view: RegistryView = {
      nowUs: Number(reply[0]),
      floorUs: Number(reply[1]),
      readAtUs: Number(reply[2]),
      lastProducer: 0,
      mapVersion: 0,
      hasUnregistered: false,
      producers: [],
    };
    const all = reply[3];
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
    await this.redis.registryUnregistered(this.key);
  }

  async setPaused(symbols: readonly string[], forMs: number): Promise<void> {
    if (symbols.length === 0) return;
    await this.redis.pauseSymbols(this.paused, forMs * 1_000, PAUSED_KEPT_MS, ...symbols);
  }

  async raise({ lastUs, producer }: FormerProducer): Promise<void> {
    await this.redis.registryRaise(this.key, lastUs, producer);
  }
}

const NONE: FormerProducer = { producer: 0, lastUs: 0 };

function readProducer(producer: number, value: string): ProducerView {
  const [throughUs, seenUs, mapVersion] = value.split(" ", 3).map(Number);
  const except = JSON.parse(value.slice(value.indexOf("{"))) as Watermark["except"];
  return { producer, throughUs: throughUs!, seenUs: seenUs!, mapVersion: mapVersion!, except };
}
