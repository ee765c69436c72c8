import { KernelInstance } from "../../filter/build/kernel-instance";
import { KernelMemory } from "../../filter/build/kernel-memory";
import { loadKernel } from "../../filter/build/load-kernel";
import { ALL_SHARDS, shardCapacityFor, shardLayout } from "../../filter/layout";
import { ERROR_RATE } from "./open-engine";
import type { Figures, SideInput } from "./side-input";

const DIGITS = 9;
/** One message of the protocol: type, length, columns, length of the name, "user" and its number. */
const PREFIX = Buffer.concat([Buffer.from("640000001700010000000d", "hex"), Buffer.from("user")]);
/** CopyOutResponse, and the header of the binary format in a message of its own. */
const BEGIN = Buffer.from("48000000090100010001" + "64000000175047434f50590aff0d0a000000000000000000", "hex");
const END = Buffer.from("6400000006ffff", "hex");
const NAMES_PER_CHUNK = 2_000;

/** The kernel alone, one thread, on names that no database sent: how fast, and how much memory. */
export async function syntheticSide({ capacity }: SideInput): Promise<Figures> {
  const module = await loadKernel();
  const layout = shardLayout({ shardCapacity: shardCapacityFor(capacity), errorRate: ERROR_RATE });
  const memory = KernelMemory.create(module, layout, { shards: ALL_SHARDS, threads: 1 });
  const kernel = new KernelInstance(module, memory.place(0));
  const chunk = Buffer.concat(
    Array.from({ length: NAMES_PER_CHUNK }, () => Buffer.concat([PREFIX, Buffer.alloc(DIGITS)])),
  );
  let peakRssBytes = 0;
  let ms = 0;
  const take = (bytes: Buffer) => {
    const startedAt = performance.now();
    kernel.take(bytes);
    ms += performance.now() - startedAt;
  };
  kernel.beginCopy();
  take(BEGIN);
  for (let first = 0; first < capacity; first += NAMES_PER_CHUNK) {
    for (let i = 0; i < NAMES_PER_CHUNK; i += 1) {
      const at = (i + 1) * (PREFIX.length + DIGITS) - DIGITS;
      chunk.write(String(first + i).padStart(DIGITS, "0"), at, "latin1");
    }
    take(chunk);
    if (first % 1_000_000 === 0) peakRssBytes = Math.max(peakRssBytes, process.memoryUsage.rss());
  }
  take(END);
  const startedAt = performance.now();
  kernel.finish();
  ms += performance.now() - startedAt;
  if (kernel.rows() !== capacity) throw new Error(`${kernel.rows()} of ${capacity} names arrived`);
  peakRssBytes = Math.max(peakRssBytes, process.memoryUsage.rss());
  return { ms, peakRssBytes, filterBytes: layout.bytes * ALL_SHARDS.length };
}
