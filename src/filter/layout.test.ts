import { readFileSync } from "node:fs";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { bitsOf, shardCapacityFor, shardLayout, shardOf } from "./layout";
import { remainder } from "./murmur64a";

type Recorded = { reserve: (number | string)[]; chunk: string; chunkBytes: number; header: string };
const vectors = JSON.parse(readFileSync(new URL("./redisbloom-vectors.json", import.meta.url), "utf8")) as {
  filters: Recorded[];
  items: string[];
};
const nonScaling = vectors.filters.filter(filter => filter.reserve.includes("NONSCALING"));

describe("the shard layout", () => {
  it.each(nonScaling)(
    "equals a real RedisBloom's bytes for $reserve",
    ({ reserve, chunk, chunkBytes, header }) => {
      const layout = shardLayout({ errorRate: Number(reserve[0]), shardCapacity: Number(reserve[1]) });
      expect(layout.bytes).toBe(chunkBytes);
      expect(layout.hashes).toBe(Buffer.from(header, "hex").readUInt32LE(60));
      const built = Buffer.alloc(layout.bytes);
      for (const item of vectors.items) {
        for (const bit of bitsOf(item, layout)) built[bit >> 3]! |= 1 << (bit & 7);
      }
      expect(built.toString("hex")).toBe(chunk);
    },
  );

  it("takes the shard from the first byte of SHA-256", () => {
    expect(shardOf("alice")).toBe(0x2b);
    expect(shardOf("abc")).toBe(0xba);
  });

  it("has capacity for the fullest shard", () => {
    const counts = new Array<number>(256).fill(0);
    for (let i = 0; i < 200_000; i += 1) counts[shardOf(`user${i}`)]! += 1;
    expect(Math.max(...counts)).toBeLessThan(shardCapacityFor(200_000));
  });

  it("divides 64-bit words exactly", () => {
    fc.assert(
      fc.property(fc.bigInt(0n, 2n ** 64n - 1n), fc.integer({ min: 1, max: 2 ** 36 }), (value, divisor) => {
        const word = { hi: Number(value >> 32n), lo: Number(value & 0xffffffffn) };
        expect(remainder(word, divisor)).toBe(Number(value % BigInt(divisor)));
      }),
    );
  });
});
