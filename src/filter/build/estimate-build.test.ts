import fc from "fast-check";
import { beforeAll, describe, expect, it } from "vitest";
import { SHARD_COUNT, shardCapacityFor, shardLayout } from "../layout";
import { estimateBuild, type MasterMemory } from "./estimate-build";
import { planKernelMemory } from "./kernel-memory";
import { loadKernel } from "./load-kernel";

const MIB = 2 ** 20;
const master = (change: Partial<MasterMemory> = {}): MasterMemory => ({
  node: "redis",
  shards: SHARD_COUNT,
  usedBytes: 10 * MIB,
  limitBytes: 1_000 * MIB,
  limitedBy: "maxmemory",
  evicts: false,
  ...change,
});
type Input = Parameters<typeof estimateBuild>[0];
const SHARD_CAPACITY = shardCapacityFor(10_000_000);
const estimate = (change: Partial<Input> = {}) =>
  estimateBuild({
    shardCapacity: SHARD_CAPACITY,
    errorRate: 0.01,
    rows: 5_000_000,
    threads: 2,
    masters: [master()],
    ...change,
  });

let module: WebAssembly.Module;
beforeAll(async () => {
  module = await loadKernel();
});

describe("the estimate of a build", () => {
  it("has no problem when the build fits", () => {
    const { problem, warnings, fill, expectedSeconds, totalBytes } = estimate();
    expect([problem, warnings]).toEqual([null, []]);
    expect(fill.mean).toBeCloseTo(0.487, 2);
    expect(fill.fullest).toBeCloseTo(0.505, 2);
    // -ln(0.01) / ln(2)^2 = 9.585 bits a name, and 2.6% of headroom for the fullest shard.
    expect((totalBytes * 8) / 10_000_000).toBeCloseTo(9.83, 2);
    expect(expectedSeconds).toBeGreaterThan(5);
  });

  it("is the memory of the kernel, and little more", () => {
    const anyInput = fc.record({
      shardCapacity: fc.integer({ min: 1, max: 2_000_000 }),
      errorRate: fc.double({ min: 1e-6, max: 0.5, noNaN: true }),
      threads: fc.integer({ min: 1, max: 4 }),
    });
    fc.assert(
      fc.property(anyInput, input => {
        const plan = planKernelMemory(module, shardLayout(input), { shards: SHARD_COUNT, ...input });
        const { workerBytes } = estimate(input);
        expect(Math.abs(workerBytes - plan.bytes)).toBeLessThan(2 ** 20);
      }),
    );
  });

  it.each<[string, Partial<Input>, string]>([
    ["more users than the capacity", { rows: 256 * SHARD_CAPACITY + 1 }, "a larger capacity"],
    ["more memory than the limit of a build", { shardCapacity: 20_000_000, masters: [] }, "4 GiB"],
    ["a Redis without room", { masters: [master({ limitBytes: 25 * MIB })] }, "has 15 MiB"],
    ["a Redis that is over its limit", { masters: [master({ limitBytes: MIB })] }, "has 0 MiB"],
    [
      "one master of several without room",
      { masters: [master({ shards: 128 }), master({ node: "b", shards: 128, limitBytes: 20 * MIB })] },
      "Redis (b) needs",
    ],
  ])("is a problem with %s", (_, change, problem) => {
    expect(estimate(change).problem).toContain(problem);
  });

  it("warns of a Redis that evicts", () => {
    expect(estimate({ masters: [master({ evicts: true })] }).warnings.join()).toContain("noeviction");
  });

  it("has no hasRoom for an unknown limit", () => {
    const { masters, problem } = estimate({ masters: [master({ limitBytes: null, limitedBy: null })] });
    expect([masters[0]!.hasRoom, problem]).toEqual([null, null]);
  });

  it("promises no room within the machine's memory, which a container may limit further", () => {
    const { masters } = estimate({ masters: [master({ limitedBy: "machine" })] });
    expect(masters[0]!.hasRoom).toBeNull();
    const small = estimate({ masters: [master({ limitedBy: "machine", limitBytes: 15 * MIB })] });
    expect([small.masters[0]!.hasRoom, small.problem]).toEqual([false, expect.stringContaining("needs")]);
  });

  it("needs no memory on a master without shards", () => {
    const { masters } = estimate({ masters: [master({ shards: 0, limitBytes: 10 * MIB })] });
    expect(masters[0]).toMatchObject({ neededBytes: 0, hasRoom: true });
  });
});
