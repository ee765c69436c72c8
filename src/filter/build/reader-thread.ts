import { availableParallelism } from "node:os";
import { Worker, type WorkerOptions } from "node:worker_threads";
import type { ReaderData, ReaderReply, ReaderRequest } from "./build-reader";
import { STATEMENT_TIMEOUT_MS } from "./snapshot";

/** A bundle has its reader beside it; from the sources a thread needs tsx, which it does not inherit. */
function startWorker(options: WorkerOptions): Worker {
  if (!import.meta.url.endsWith(".ts"))
    return new Worker(new URL("./build-reader.js", import.meta.url), options);
  const source = JSON.stringify(new URL("./build-reader.ts", import.meta.url).href);
  const code = `import("tsx/esm/api").then(tsx => { tsx.register(); return import(${source}); })`;
  return new Worker(code, { ...options, eval: true });
}

/** The server gives up first and says why; this is for one that does not answer at all. */
const REPLY_TIMEOUT_MS = STATEMENT_TIMEOUT_MS + 10_000;
/** A reader keeps nothing on its heap; the young generation holds the chunks of its socket. */
const HEAP_LIMITS = { maxOldGenerationSizeMb: 128, maxYoungGenerationSizeMb: 4 };

const MOST_THREADS = 4;

/** As many as there are processors, within reason: each has a connection and four megabytes. */
export function defaultThreads(): number {
  return Math.min(MOST_THREADS, availableParallelism());
}

/** The main thread's end of a build-reader. */
export class ReaderThread {
  private readonly worker: Worker;
  /** Rejects when the thread ends before it was asked to. */
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
      this.worker.once("exit", code => reject(new Error(`a thread of the build ended with code ${code}`)));
    });
    this.died.catch(() => {});
  }

  /** One request at a time. Rejects when the thread fails, ends, or takes too long. */
  async ask(request: ReaderRequest): Promise<ReaderReply> {
    let timer: NodeJS.Timeout | undefined;
    const reply = new Promise<ReaderReply>((resolve, reject) => {
      this.worker.once("message", resolve);
      timer = setTimeout(
        () => reject(new Error(`no answer within ${REPLY_TIMEOUT_MS / 1_000} s`)),
        REPLY_TIMEOUT_MS,
      );
    });
    this.worker.postMessage(request);
    return Promise.race([reply, this.died]).finally(() => clearTimeout(timer));
  }

  /** Resolves when the thread and its connection are gone. */
  async stop(): Promise<void> {
    await this.worker.terminate();
  }
}
