import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import fc from "fast-check";
import { beforeAll, describe, expect, it } from "vitest";
import { copyMessages, message } from "../../testing/copy-messages";
import { namesInShard } from "../../testing/filter-state";
import { ALL_SHARDS, bitsOf, SHARD_COUNT, type ShardLayout, shardLayout, shardOf } from "../layout";
import { KernelInstance, NAMES_PER_BUCKET } from "./kernel-instance";
import { KernelMemory } from "./kernel-memory";
import { loadKernel } from "./load-kernel";

const LAYOUT = shardLayout({ shardCapacity: 300, errorRate: 0.01 });
const END = message("c", Buffer.alloc(0));

let module: WebAssembly.Module;
beforeAll(async () => {
  module = await loadKernel();
});

function makeKernel(layout = LAYOUT, shards = ALL_SHARDS) {
  const memory = KernelMemory.create(module, layout, { shards, threads: 1 });
  return { memory, kernel: new KernelInstance(module, memory.place(0)) };
}

/** A complete COPY of these names. */
function build(names: string[], layout = LAYOUT, shards = ALL_SHARDS): KernelMemory {
  const { memory, kernel } = makeKernel(layout, shards);
  kernel.beginCopy();
  expect(kernel.take(Buffer.concat([copyMessages(names), END]))).toEqual(END);
  expect(kernel.rows()).toBe(names.length);
  kernel.finish();
  return memory;
}

/** The same shards, computed by layout.ts. */
function expected(names: string[], layout: ShardLayout) {
  const shards = ALL_SHARDS.map(() => ({ bits: new Uint8Array(layout.bytes), names: 0, items: 0 }));
  for (const name of names) {
    const shard = shards[shardOf(name)]!;
    let fresh = 0;
    for (const bit of bitsOf(name, layout)) {
      if ((shard.bits[bit >> 3]! & (1 << (bit & 7))) === 0) fresh = 1;
      shard.bits[bit >> 3]! |= 1 << (bit & 7);
    }
    shard.names += 1;
    shard.items += fresh;
  }
  return shards;
}

function expectSame(memory: KernelMemory, names: string[], layout = LAYOUT): void {
  expected(names, layout).forEach(({ bits, ...counts }, shard) => {
    expect(memory.counts(shard)).toEqual(counts);
    expect(Buffer.from(memory.bits(shard)).equals(Buffer.from(bits))).toBe(true);
  });
}

/** Any text for a Postgres column of 128 bytes: no NUL, no lone surrogate. */
const anyName = fc
  .string({ unit: "grapheme", maxLength: 128 })
  .map(name => name.replaceAll("\0", ""))
  .filter(name => Buffer.byteLength(name) <= 128);

describe("the kernel's bits", () => {
  it("are a real RedisBloom's, byte for byte", () => {
    const { filters, items } = JSON.parse(
      readFileSync(new URL("../redisbloom-vectors.json", import.meta.url), "utf8"),
    ) as {
      filters: { reserve: [number, number, string?]; chunk: string; header: string }[];
      items: string[];
    };
    // The recorded items are in one filter, so the bits of the 256 shards are combined.
    const nonScaling = filters.filter(({ reserve }) => reserve[2] === "NONSCALING");
    expect(nonScaling.length).toBeGreaterThan(5);
    for (const { reserve, chunk, header } of nonScaling) {
      const layout = shardLayout({ errorRate: reserve[0], shardCapacity: reserve[1] });
      const memory = build(items, layout);
      const together = Buffer.alloc(layout.bytes);
      for (const shard of ALL_SHARDS) {
        for (const [i, byte] of memory.bits(shard).entries()) together[i]! |= byte;
      }
      expect(together.toString("hex")).toBe(chunk);
      const names = ALL_SHARDS.reduce((sum, shard) => sum + memory.counts(shard).names, 0);
      expect(names).toBe(Buffer.from(header, "hex").readUInt32LE(0));
    }
  });

  it("equal layout.ts for any names, error rate and size", () => {
    const anyLayout = fc.record({
      shardCapacity: fc.integer({ min: 1, max: 1_000 }),
      errorRate: fc.double({ min: 1e-9, max: 0.9, noNaN: true }),
    });
    fc.assert(
      fc.property(fc.array(anyName, { maxLength: 60 }), anyLayout, (names, version) => {
        const layout = shardLayout(version);
        expectSame(build(names, layout), names, layout);
      }),
      { numRuns: 60 },
    );
  });

  it("equal layout.ts for a name of every length, one block of SHA-256 or more", () => {
    const names = Array.from(
      { length: 300 },
      (_, length) => "é".repeat(length >> 1) + "x".repeat(length & 1),
    );
    expectSame(build(names), names);
  });

  it("equal layout.ts where a shard's bucket overflows many times", () => {
    const distinct = namesInShard(shardOf("alice"), "user", 300);
    const names = Array.from({ length: 5 * NAMES_PER_BUCKET + 1 }, (_, i) => distinct[(i * i) % 300]!);
    expectSame(build(names), names);
  });

  it("have the shard of SHA-256, compared with another implementation", () => {
    const names = Array.from({ length: 1_000 }, (_, i) => createHash("md5").update(`${i}`).digest("base64"));
    const memory = build(names);
    const counts = ALL_SHARDS.map(() => 0);
    for (const name of names) counts[createHash("sha256").update(name).digest()[0]!]! += 1;
    expect(ALL_SHARDS.map(shard => memory.counts(shard).names)).toEqual(counts);
  });

  it("are set in the wanted shards only", () => {
    const names = Array.from({ length: 5_000 }, (_, i) => `user${i}`);
    const shard = shardOf("alice");
    const memory = build(names, LAYOUT, [shard]);
    const wanted = expected(names, LAYOUT)[shard]!;
    expect(memory.counts(shard)).toEqual({ names: wanted.names, items: wanted.items });
    expect(Buffer.from(memory.bits(shard)).equals(Buffer.from(wanted.bits))).toBe(true);
    expect(memory.counts((shard + 1) % SHARD_COUNT)).toEqual({ names: 0, items: 0 });
  });
});

describe("the kernel's stream", () => {
  it("may be cut anywhere", () => {
    const cuts = fc.array(fc.integer({ min: 1, max: 70_000 }), { minLength: 1, maxLength: 50 });
    fc.assert(
      fc.property(fc.array(anyName, { maxLength: 40 }), cuts, (names, sizes) => {
        const stream = Buffer.concat([copyMessages(names), END, Buffer.from("rest")]);
        const { memory, kernel } = makeKernel();
        kernel.beginCopy();
        let rest: Buffer | null = null;
        let at = 0;
        for (let i = 0; rest === null && at < stream.length; i += 1) {
          const size = sizes[i % sizes.length]!;
          rest = kernel.take(stream.subarray(at, at + size));
          at += size;
        }
        expect(Buffer.concat([rest!, stream.subarray(at)]).toString()).toBe(`${END.toString()}rest`);
        kernel.finish();
        expectSame(memory, names);
      }),
      { numRuns: 40 },
    );
  });

  it("may be cut into single bytes", () => {
    const names = Array.from({ length: 50 }, (_, i) => `user${i}`.repeat(1 + (i % 10)));
    const stream = Buffer.concat([copyMessages(names), END]);
    const { memory, kernel } = makeKernel();
    kernel.beginCopy();
    const rests = [...stream].map(byte => kernel.take(Buffer.of(byte)));
    expect(rests.find(rest => rest !== null)).toEqual(END);
    kernel.finish();
    expectSame(memory, names);
  });

  it("may contain control characters and backslashes, which have no meaning in the binary format", () => {
    const names = ["a\\nb", "a\nb", "\\.", "\\", "tab\there", "\u0001", "", " ", "\\N"];
    expectSame(build(names), names);
  });

  it("may contain notices and changed settings between the rows", () => {
    const { memory, kernel } = makeKernel();
    kernel.beginCopy();
    const [first, second] = [["kim", "lee"], ["park"]];
    const stream = [
      copyMessages(first, { end: false }),
      message("N", Buffer.from("SNOTICE\0\0")),
      message("S", Buffer.from("a\0b\0")),
      copyMessages(second, { begin: false }),
      END,
    ];
    expect(kernel.take(Buffer.concat(stream))).toEqual(END);
    kernel.finish();
    expectSame(memory, [...first, ...second]);
  });

  it("is returned from the first other message on, such as an error", () => {
    const { kernel } = makeKernel();
    kernel.beginCopy();
    const error = message("E", Buffer.from("SERROR\0\0"));
    expect(kernel.take(Buffer.concat([copyMessages(["kim"], { end: false }), error]))).toEqual(error);
    expect(() => kernel.rows()).toThrow("before its end mark");
  });

  const row = (length: number, bytes: string) => {
    const head = Buffer.alloc(6);
    head.writeUInt16BE(1, 0);
    head.writeInt32BE(length, 2);
    return message("d", Buffer.concat([head, Buffer.from(bytes)]));
  };
  const begun = copyMessages(["kim"], { end: false });
  it.each([
    ["a NULL", [begun, row(-1, "")], "NULL"],
    ["a row that is longer than its message", [begun, row(10, "kim")], "binary format"],
    ["a row that is shorter than its message", [begun, row(2, "kim")], "binary format"],
    ["a length below zero", [begun, row(-2, "")], "binary format"],
    ["two columns", [begun, message("d", Buffer.from("00020000000161", "hex"))], "binary format"],
    ["a row after the end mark", [copyMessages(["kim"]), row(3, "lee")], "binary format"],
    [
      "rows in the text format",
      [message("H", Buffer.alloc(5)), message("d", Buffer.from("a name, long enough\n"))],
      "binary format",
    ],
    ["a row without a beginning", [row(3, "lee")], "binary format"],
    ["a message with an impossible length", [begun, Buffer.from("6400000003", "hex")], "binary format"],
    ["an endless message", [begun, Buffer.from("64ffffffff", "hex")], "longer than"],
  ])("is refused with %s", (_, parts, reason) => {
    const { kernel } = makeKernel();
    kernel.beginCopy();
    expect(() => kernel.take(Buffer.concat(parts))).toThrow(reason);
  });
});

describe("the kernel's memory", () => {
  it("is refused beyond 4 GiB", () => {
    const layout = shardLayout({ shardCapacity: 20_000_000, errorRate: 0.001 });
    expect(() => KernelMemory.create(module, layout, { shards: ALL_SHARDS, threads: 1 })).toThrow("8.6 GiB");
  });

  it("may be shared by several instances, each with names of every shard", () => {
    const names = Array.from({ length: 20_000 }, (_, i) => `user${i}`);
    const memory = KernelMemory.create(module, LAYOUT, { shards: ALL_SHARDS, threads: 3 });
    const kernels = [0, 1, 2].map(thread => new KernelInstance(module, memory.place(thread)));
    kernels.forEach((kernel, thread) => {
      kernel.beginCopy();
      kernel.take(copyMessages(names.filter((_, i) => i % 3 === thread)));
    });
    for (const kernel of kernels) kernel.finish();
    expected(names, LAYOUT).forEach(({ bits, names: count }, shard) => {
      expect(memory.counts(shard).names).toBe(count);
      expect(Buffer.from(memory.bits(shard)).equals(Buffer.from(bits))).toBe(true);
    });
  });
});
