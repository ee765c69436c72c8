import type pg from "pg";
import type { KernelMemory } from "./kernel-memory";
import { ReaderThread } from "./reader-thread";
import { blockRanges, cut, exportSnapshot, type Snapshot, snapshotClient } from "./snapshot";

export type ReadOptions = {
  databaseUrl: string;
  module: WebAssembly.Module;
  memory: KernelMemory;
  /** Reading threads at most, and the pages of the table that make a further one worth its start. */
  threads: number;
  blocksPerThread: number;
  /** Longest time that the snapshot may be open, milliseconds. */
  timeLimitMs: number;
  signal: AbortSignal;
  onSnapshot?: (snapshot: Snapshot) => void;
  /** Rows and bytes of the COPY so far. */
  onRead?: (read: { rows: number; bytes: number }) => void;
  /** Awaited before each range of the table: as long as it takes, a thread reads nothing. */
  throttle?: () => Promise<void>;
};

/**
 * Brings every username of one snapshot into the kernel's memory. Threads read the table side by side,
 * each over its own connection; ranges go to whoever is free.
 * However it ends, no thread and no connection is left.
 * @throws signal's reason, or why the database could not be read; the memory is then worthless
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
  // The first one starts while the snapshot is taken.
  addReader();
  const takeReaders = (count: number) => {
    while (readers.length < count) addReader();
    return readers;
  };
  const interruption = new AbortController();
  const isOver = { signal: interruption.signal };
  const interrupted = new Promise<never>((_, reject) => {
    const timeUp = new Error(`the snapshot was open for ${timeLimitMs / 1_000} s, its time limit`);
    const timer = setTimeout(reject, timeLimitMs, timeUp);
    isOver.signal.addEventListener("abort", () => clearTimeout(timer));
    signal.addEventListener("abort", () => reject(signal.reason), isOver);
    holder.on("error", cause =>
      reject(new Error(`the connection that holds the snapshot was lost: ${cause.message}`, { cause })),
    );
  });
  try {
    return await Promise.race([readRanges(holder, takeReaders, options), interrupted]);
  } finally {
    interruption.abort();
    cut(holder);
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
  // One iterator for all: each range goes to the reader that asks for it first.
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
