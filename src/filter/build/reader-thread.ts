import { availableParallelism } from "node:os";
import { Worker, type WorkerOptions } from "node:worker_threads";
import type { ReaderData, ReaderReply, ReaderRequest } from "./build-reader";
import { STATEMENT_TIMEOUT_MS } from "./snapshot";

/** A bundle has its reader beside it. From the sources, a thread must register tsx itself. */
function startWorker(options: WorkerOptions): Worker {
  if (!import.meta.url.endsWith(".ts"))
    return new Worker(new URL("./build-reader.js", import.meta.url), options);
  const source = JSON.stringify(new URL("./build-reader.ts", import.meta.url).href);
  const code = `import("tsx/esm/api").then(tsx => { tsx.register(); return import(${source}); })`;
  return new Worker(code, { ...options, eval: true });
}

/** Longer than the server's timeout, whose error is clearer; for a server that does not answer. */
const REPLY_TIMEOUT_MS = STATEMENT_TIMEOUT_MS + 10_000;
/** A reader needs little heap; the young generation contains the chunks of its socket. */
const HEAP_LIMITS = { maxOldGenerationSizeMb: 128, maxYoungGenerationSizeMb: 4 };

const MAX_THREADS = 4;

/** The number of processors, up to a limit: each thread has a connection and 4 MiB. */
export function defaultThreads(): number {
  return Math.min(MAX_THREADS, availableParallelism());
}

/** The main thread's side of a build reader. */
export class ReaderThread {
  private readonly worker: Worker;
  /** Rejects when the thread ends before `stop`. */
  private readonly died: Promise<never>;

  constructor(data: ReaderData) {
    this.worker = startWorker({
      workerData: data,
      name: "build-reader",
      execArgv: [],
      resourceLimits: HEAP_LIMITS,
    });
    this.died = new Promise((_, reject) => {
      this.worker.once("error", reject);
      this.worker.once("exit", code => reject(new Error(`A thread of the build ended with code ${code}.`)));
    });
    this.died.catch(() => {});
  }

  /** One request at a time. Rejects when the thread fails, ends, or takes too long. */
  async ask(request: ReaderRequest): Promise<ReaderReply> {
    let timer: NodeJS.Timeout | undefined;
    const reply = new Promise<ReaderReply>((resolve, reject) => {
      this.worker.once("message", resolve);
      timer = setTimeout(
        () => reject(new Error(`A thread of the build gave no answer within ${REPLY_TIMEOUT_MS / 1_000} s.`)),
        REPLY_TIMEOUT_MS,
      );
    });
    this.worker.postMessage(request);
    return Promise.race([reply, this.died]).finally(() => clearTimeout(timer));
  }

  /** Resolves when the thread has ended and its connection is closed. */
  async stop(): Promise<void> {
    await this.worker.terminate();
  }
}
