import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { encodeWatermark } from "../store/codec/order-record";
import type { ProducerView, RegistryView } from "../store/producer-registry";
import { ShardWatermarks } from "./shard-watermarks";
import { watermarkRecordOf } from "./watermark-emitter";

const OPTIONS = { mapVersion: 1, windowUs: 200_000 };
const time = fc.integer({ min: 1_000, max: 2_000 });
const producer = fc.record({
  producer: fc.nat(99),
  throughUs: time,
  seenUs: fc.constant(2_000),
  mapVersion: fc.constant(1),
  except: fc.dictionary(
    fc.constantFrom(...Array.from({ length: 60 }, (_, i) => `S${i}`)),
    fc.record({ throughUs: time, shardId: fc.constant("3") }),
    { maxKeys: 60 },
  ),
});
const viewOf = (producers: ProducerView[], change: Partial<RegistryView> = {}): RegistryView => ({
  nowUs: 3_000_000,
  floorUs: 900,
  readAtUs: 3_000_000,
  lastProducer: 99,
  mapVersion: 1,
  hasUnregistered: false,
  producers,
  ...change,
});

describe("a watermark", () => {
  it("never claims more of a symbol than each producer does, and stays small", () => {
    fc.assert(
      fc.property(fc.array(producer, { minLength: 1, maxLength: 6 }), producers => {
        const watermark = watermarkRecordOf(viewOf(producers), OPTIONS);
        for (let i = 0; i < 60; i += 1) {
          const claims = producers.map(({ except, throughUs }) =>
            Math.min(throughUs, except[`S${i}`]?.throughUs ?? throughUs),
          );
          expect(
            Math.min(watermark.throughUs, watermark.except[`S${i}`] ?? watermark.throughUs),
          ).toBeLessThanOrEqual(Math.min(...claims));
        }
        expect(encodeWatermark(watermark).length).toBeLessThan(900);
      }),
    );
  });

  it("names the slowest producer", () => {
    const slow = { producer: 7, throughUs: 1_500, seenUs: 0, mapVersion: 1 };
    const except = { DOGE: { throughUs: 1_100, shardId: "3" } };
    expect(watermarkRecordOf(viewOf([{ ...slow, except }]), OPTIONS).slowestProducer).toBe(
      "producer 7 on shard 3",
    );
    expect(watermarkRecordOf(viewOf([{ ...slow, except: {} }]), OPTIONS).slowestProducer).toBe("producer 7");
  });

  it("stays behind the clock by the window while a producer without watermarks writes", () => {
    expect(
      watermarkRecordOf(viewOf([], { floorUs: 2_900_000, hasUnregistered: true }), OPTIONS).throughUs,
    ).toBe(2_800_000);
    expect(watermarkRecordOf(viewOf([], { floorUs: 2_900_000 }), OPTIONS).throughUs).toBe(2_900_000);
  });
});

describe("the watermark of all shards", () => {
  const watermark = (throughUs: number, readAtUs: number, except = {}, mapVersion = 1) => ({
    throughUs,
    readAtUs,
    except,
    mapVersion,
    slowestProducer: "producer 1",
  });

  it("is the lowest, per symbol, and unknown while a shard has reported nothing", () => {
    const marks = new ShardWatermarks();
    marks.setShards(["0", "1"], 1);
    marks.observe("0", watermark(100, 1));
    expect(marks.through("DOGE")).toBe(Number.NEGATIVE_INFINITY);
    marks.observe("1", watermark(90, 1, { DOGE: 40 }));
    expect([marks.through("DOGE"), marks.through("BTC")]).toEqual([40, 90]);
    // A watermark that was delayed takes nothing back.
    marks.observe("1", watermark(10, 0));
    expect(marks.through("BTC")).toBe(90);
    expect([...marks.ahead()]).toEqual([]);
    marks.observe("0", watermark(200, 5));
    expect([...marks.ahead()]).toEqual(["0"]);
  });

  it("releases nothing under an unknown shard map, and forgets closed shards", () => {
    const marks = new ShardWatermarks();
    marks.setShards(["0", "1"], 1);
    marks.observe("0", watermark(100, 1));
    marks.close("1");
    expect(marks.through("DOGE")).toBe(100);
    marks.observe("0", watermark(300, 2, {}, 2));
    expect(marks.through("DOGE")).toBe(Number.NEGATIVE_INFINITY);
    marks.setShards(["0", "2"], 2);
    marks.observe("2", watermark(250, 3, {}, 2));
    expect(marks.through("DOGE")).toBe(250);
  });
});
