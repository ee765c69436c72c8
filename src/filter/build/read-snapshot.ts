import type pg from "pg";
import type { KernelMemory } from "./kernel-memory";
import { ReaderThread } from "./reader-thread";
import { blockRanges, closeSocket, exportSnapshot, type Snapshot, snapshotClient } from "./snapshot";

export type ReadOptions = {
  databaseUrl: string;
  module: WebAssembly.Module;
  memory: KernelMemory;
  /** Most reading threads, and the pages of the table for each of them. */
  threads: number;
  blocksPerThread: number;
  /** Longest time that the snapshot may be open, milliseconds. */
  timeLimitMs: number;
  signal: AbortSignal;
  onSnapshot?: (snapshot: Snapshot) => void;
  /** Rows and bytes of the COPY so far. */
  onRead?: (read: { rows: number; bytes: number }) => void;
  /** Awaited before each range of the table; the thread pauses until it resolves. */
  throttle?: () => Promise<void>;
};

/**
 * Reads every username of one snapshot into the kernel's memory. Threads read the table in parallel,
 * each over its own connection; each range goes to the next idle thread. At the end, also after an error,
 * all threads and connections are closed.
 * @throws the signal's reason, or why the database could not be read; the memory must not be used then
 */
export async function readSnapshot(
  options: ReadOptions,
): Promise<{ rows: number; bytes: number; xmin: string }> {
  const { databaseUrl, module, memory, timeLimitMs, signal } = options;
  signal.throwIfAborted();
  const connection = { databaseUrl, timeLimitMs };
  const holder = snapshotClient(connection);
  const readers: ReaderThread[] = [];
  const addReader = () => {
    const place = memory.place(readers.length);
    readers.push(new ReaderThread({ module, place, snapshot: connection }));
  };
  // The first reader starts while the snapshot is taken.
  addReader();
  const takeReaders = (count: number) => {
    while (readers.length < count) addReader();
    return readers;
  };
  const interruption = new AbortController();
  const isOver = { signal: interruption.signal };
  const interrupted = new Promise<never>((_, reject) => {
    const timeUp = new Error(`The snapshot was open for ${timeLimitMs / 1_000} s, its time limit.`);
    const timer = setTimeout(reject, timeLimitMs, timeUp);
    isOver.signal.addEventListener("abort", () => clearTimeout(timer));
    signal.addEventListener("abort", () => reject(signal.reason), isOver);
    holder.on("error", cause =>
      reject(new Error(`The snapshot's connection was lost: ${cause.message}`, { cause })),
    );
  });
  try {
    return await Promise.race([readRanges(holder, takeReaders, options), interrupted]);
  } finally {
    interruption.abort();
    closeSocket(holder);
    await Promise.all(readers.map(reader => reader.stop()));
  }
}

async function readRanges(
  holder: pg.Client,
  takeReaders: (count: number) => ReaderThread[],
  { threads, blocksPerThread, onSnapshot, onRead, throttle }: ReadOptions,
): Promise<{ rows: number; bytes: number; xmin: string }> {
  await holder.connect();
  const snapshot = await exportSnapshot(holder);
  onSnapshot?.(snapshot);
  const total = { rows: 0, bytes: 0 };
  const readers = takeReaders(Math.min(threads, Math.ceil(snapshot.blocks / blocksPerThread)));
  // One shared iterator: each range goes to the first reader that requests it.
  const ranges = blockRanges(snapshot.blocks, readers.length).values();
  await Promise.all(
    readers.map(async reader => {
      await reader.ask({ open: snapshot.id });
      for (const range of ranges) {
        await throttle?.();
        const { rows, bytes } = await reader.ask({ read: range });
        total.rows += rows;
        total.bytes += bytes;
        onRead?.({ ...total });
      }
      await reader.ask({ finish: true });
    }),
  );
  return { ...total, xmin: snapshot.xmin };
}
