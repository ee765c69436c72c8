import fc from "fast-check";
import { beforeAll, describe, expect, it } from "vitest";
import { SHARD_COUNT, shardLayout } from "../layout";
import { type EstimateInput, estimateBuild, type MasterMemory } from "./estimate-build";
import { MAX_KERNEL_BYTES, planKernelMemory } from "./kernel-memory";
import { loadKernel } from "./load-kernel";

const MIB = 2 ** 20;
const master = (change: Partial<MasterMemory> = {}): MasterMemory => ({
  ...{ node: "redis", shards: SHARD_COUNT, usedBytes: 10 * MIB, limitBytes: 1_000 * MIB },
  ...{ limitedBy: "maxmemory", evicts: false },
  ...change,
});
const estimate = (change: Partial<EstimateInput> = {}) =>
  estimateBuild({
    ...{ capacity: 10_000_000, errorRate: 0.01, rows: 5_000_000, threads: 2, masters: [master()] },
    ...change,
  });

let module: WebAssembly.Module;
beforeAll(async () => {
  module = await loadKernel();
});

describe("an estimate", () => {
  it("finds nothing against a build that fits", () => {
    const { problems, fill, bitsPerName, seconds, totalBytes } = estimate();
    expect(problems).toEqual([]);
    expect(fill.mean).toBeCloseTo(0.487, 2);
    expect(fill.fullest).toBeCloseTo(0.505, 2);
    // -ln(0.01) / ln(2)^2 = 9.585 bits, and 2.6% of headroom for the fullest shard.
    expect(bitsPerName).toBeCloseTo(9.83, 2);
    expect(totalBytes / MIB).toBeCloseTo(11.7, 1);
    expect(seconds).toBeGreaterThan(5);
  });

  it("says at least as much memory as the kernel takes, and little more", () => {
    const anyInput = fc.record({
      capacity: fc.integer({ min: 1, max: 500_000_000 }),
      errorRate: fc.double({ min: 1e-6, max: 0.5, noNaN: true }),
      threads: fc.integer({ min: 1, max: 4 }),
    });
    fc.assert(
      fc.property(anyInput, ({ capacity, errorRate, threads }) => {
        const { kernelBytes, shardCapacity } = estimate({ capacity, errorRate, threads });
        const layout = shardLayout({ shardCapacity, errorRate });
        const { bytes } = planKernelMemory(module, layout, { shards: SHARD_COUNT, threads });
        expect(kernelBytes).toBeGreaterThanOrEqual(bytes - SHARD_COUNT * 64 - MIB);
        expect(kernelBytes).toBeLessThan(bytes + MIB);
      }),
    );
  });

  it.each<[string, Partial<EstimateInput>, string]>([
    ["more names than the capacity", { rows: 10_000_001 }, "at least 20000002"],
    ["more memory than a build can hold", { capacity: 5e9, masters: [] }, "4 GiB"],
    ["a Redis without room", { masters: [master({ limitBytes: 25 * MIB })] }, "has 15 MiB"],
    ["a Redis that is over its limit", { masters: [master({ limitBytes: MIB })] }, "has 0 MiB"],
    ["a Redis that evicts", { masters: [master({ evicts: true })] }, "noeviction"],
  ])("warns of %s", (_, change, problem) => {
    const { problems } = estimate(change);
    expect(problems).toHaveLength(1);
    expect(problems[0]).toContain(problem);
  });

  it("does not call an unknown limit room", () => {
    const { masters, problems } = estimate({ masters: [master({ limitBytes: null, limitedBy: null })] });
    expect([masters[0]!.hasRoom, problems]).toEqual([null, []]);
  });

  it("asks nothing of a master without shards", () => {
    const { masters } = estimate({ masters: [master({ shards: 0, limitBytes: 10 * MIB })] });
    expect(masters[0]).toMatchObject({ neededBytes: 0, hasRoom: true });
  });

  it.each([0, -1, 1.5, Number.NaN, 2 ** 40])("refuses a capacity of %d", capacity => {
    expect(() => estimate({ capacity })).toThrow("a capacity is");
  });

  it.each([0, 1, -0.1, 2, Number.NaN])("refuses an error rate of %d", errorRate => {
    expect(() => estimate({ errorRate })).toThrow("an error rate lies");
  });

  it("knows the kernel's limit", () => {
    expect(estimate({ capacity: 5e9, masters: [] }).kernelBytes).toBeGreaterThan(MAX_KERNEL_BYTES);
  });
});
