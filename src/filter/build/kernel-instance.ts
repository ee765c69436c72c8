/** The longest message of one row: a username key has at most 128 bytes. */
const LONGEST_MESSAGE = 64 * 1024;
/** An incomplete message, the bytes of one read, and the bytes that the kernel reads past the end. */
export const INPUT_BYTES = 2 * LONGEST_MESSAGE + 64;
/** Names of one shard whose bits are set together, for the processor's cache: 4 MiB a thread. */
export const NAMES_PER_BUCKET = 1_024;

/** Addresses of a thread's part of the shared memory; it is sent to worker threads. */
export type KernelPlace = { memory: WebAssembly.Memory; table: number; work: number; input: number };

export type KernelExports = {
  freeFrom(): number;
  workBytes(namesPerBucket: number): number;
  begin(table: number, work: number, namesPerBucket: number, longestMessage: number): void;
  beginCopy(): void;
  consume(from: number, to: number): number;
  stoppedBy(): number;
  rowsSeen(): number;
  hasEnded(): number;
  finish(): void;
};

const FAULTS: Record<number, string> = {
  1: "The server's COPY stream is not in the binary format of one text column.",
  2: "A row has NULL for a username key.",
  3: "A row is longer than a username key can be.",
};
/** Lower numbers are the kernel's faults; the others are message types of the protocol (letters). */
const FIRST_MESSAGE_TYPE = 32;

/** One thread's kernel. It reads the chunks of a COPY's socket, cut at any byte. */
export class KernelInstance {
  private readonly kernel: KernelExports;
  private readonly input: Buffer;
  /** Bytes of an incomplete message, at the start of the input area. */
  private kept = 0;

  constructor(
    module: WebAssembly.Module,
    private readonly place: KernelPlace,
  ) {
    const { memory, table, work, input } = place;
    this.kernel = new WebAssembly.Instance(module, { env: { memory } }).exports as KernelExports;
    this.kernel.begin(table, work, NAMES_PER_BUCKET, LONGEST_MESSAGE);
    this.input = Buffer.from(memory.buffer as unknown as ArrayBuffer, input, INPUT_BYTES);
  }

  beginCopy(): void {
    this.kept = 0;
    this.kernel.beginCopy();
  }

  /**
   * @returns null while the COPY continues; else all bytes from the first other message on (the end of
   * the COPY, or an error), for the client's own parser
   * @throws when the stream has another format; the bits must not be used then
   */
  take(chunk: Buffer): Buffer | null {
    const { input: start } = this.place;
    for (let from = 0; from < chunk.length; ) {
      const part = chunk.subarray(from, from + LONGEST_MESSAGE);
      this.input.set(part, this.kept);
      from += part.length;
      const filled = this.kept + part.length;
      const taken = this.kernel.consume(start, start + filled) - start;
      const stoppedBy = this.kernel.stoppedBy();
      if (stoppedBy >= FIRST_MESSAGE_TYPE) {
        return Buffer.concat([this.input.subarray(taken, filled), chunk.subarray(from)]);
      }
      if (stoppedBy !== 0) throw new Error(FAULTS[stoppedBy]);
      this.input.copyWithin(0, taken, filled);
      this.kept = filled - taken;
    }
    return null;
  }

  /** Rows of the COPY, after its end. @throws when its end mark is missing */
  rows(): number {
    if (this.kernel.hasEnded() === 0) throw new Error("The COPY stream ended before its end mark.");
    return this.kernel.rowsSeen();
  }

  /** Adds the last names to their shards. */
  finish(): void {
    this.kernel.finish();
  }
}
