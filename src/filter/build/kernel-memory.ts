import { SHARD_COUNT, type ShardLayout } from "../layout";
import { INPUT_BYTES, type KernelExports, type KernelPlace, NAMES_PER_BUCKET } from "./kernel-instance";

/** Limit of a module with 32-bit addresses: 4 GiB less one page. */
export const MAX_KERNEL_BYTES = 65_535 * 65_536;
/** Buckets, input and hashing of one thread, rounded up. */
export const WORK_BYTES_PER_THREAD = SHARD_COUNT * NAMES_PER_BUCKET * 16 + 256 * 1024;
const PAGE_BYTES = 65_536;
/** An entry of the kernel's table of shards, as 32-bit numbers: address, lock, names, items. */
const ENTRY_WORDS = 4;

export type ShardCounts = {
  /** Names that belong to the shard. */
  names: number;
  /** Names that set at least one new bit; RedisBloom counts these as its items. */
  items: number;
};

/** Shared memory of all threads of one build: the shards' bits and counts, and each thread's own work area. */
export class KernelMemory {
  private constructor(
    private readonly memory: WebAssembly.Memory,
    private readonly layout: ShardLayout,
    private readonly table: number,
    private readonly areas: { work: number; input: number }[],
  ) {}

  /** @throws RangeError when the shards do not fit into a kernel's memory */
  static create(
    module: WebAssembly.Module,
    layout: ShardLayout,
    { shards, threads }: { shards: number[]; threads: number },
  ): KernelMemory {
    const plan = planKernelMemory(module, layout, { shards: shards.length, threads });
    if (plan.bytes > MAX_KERNEL_BYTES) {
      const gib = (plan.bytes / 2 ** 30).toFixed(1);
      throw new RangeError(
        `These shards need ${gib} GiB, and the limit of a build is 4 GiB. Choose a smaller capacity or a higher error rate.`,
      );
    }
    const pages = Math.ceil(plan.bytes / PAGE_BYTES);
    const memory = new WebAssembly.Memory({ initial: pages, maximum: pages, shared: true });
    const created = new KernelMemory(memory, layout, plan.table, plan.areas);
    const words = new Uint32Array(memory.buffer, plan.table);
    shards.forEach((shard, index) => {
      words[shard * ENTRY_WORDS] = plan.bits + index * plan.stride;
    });
    const end = SHARD_COUNT * ENTRY_WORDS;
    words[end] = layout.bits % 2 ** 32;
    words[end + 1] = Math.floor(layout.bits / 2 ** 32);
    words[end + 2] = layout.hashes;
    return created;
  }

  place(thread: number): KernelPlace {
    return { memory: this.memory, table: this.table, ...this.areas[thread]! };
  }

  /** A view, not a copy; complete when all threads have finished. */
  bits(shard: number): Uint8Array {
    return new Uint8Array(this.memory.buffer, this.entry(shard)[0], this.layout.bytes);
  }

  counts(shard: number): ShardCounts {
    const [, , names, items] = this.entry(shard);
    return { names: names!, items: items! };
  }

  private entry(shard: number): Uint32Array {
    return new Uint32Array(this.memory.buffer, this.table + shard * ENTRY_WORDS * 4, ENTRY_WORDS);
  }
}

/** Addresses and size, in bytes, of the memory for a build with so many shards and threads. */
export function planKernelMemory(
  module: WebAssembly.Module,
  layout: ShardLayout,
  { shards, threads }: { shards: number; threads: number },
) {
  const kernel = new WebAssembly.Instance(module, {
    env: { memory: new WebAssembly.Memory({ initial: 1, maximum: 1, shared: true }) },
  }).exports as KernelExports;
  let next = 0;
  const take = (bytes: number) => {
    const at = Math.ceil(next / 64) * 64;
    next = at + bytes;
    return at;
  };
  take(kernel.freeFrom());
  const table = take((SHARD_COUNT + 1) * ENTRY_WORDS * 4);
  const areas = Array.from({ length: threads }, () => ({
    work: take(kernel.workBytes(NAMES_PER_BUCKET)),
    input: take(INPUT_BYTES),
  }));
  const stride = Math.ceil(layout.bytes / 64) * 64;
  const bits = take(stride * shards);
  return { table, areas, bits, stride, bytes: next };
}
