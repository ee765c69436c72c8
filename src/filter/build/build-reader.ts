import { parentPort, workerData } from "node:worker_threads";
import { KernelInstance, type KernelPlace } from "./kernel-instance";
import { rawCopy } from "./raw-copy";
import { type BlockRange, copyRange, importSnapshot, type SnapshotOptions, snapshotClient } from "./snapshot";

/**
 * A worker thread of a build: its own connection inside the common snapshot, its own kernel on the
 * common memory. It does one request at a time and answers each; whatever goes wrong ends it.
 */
export type ReaderData = { module: WebAssembly.Module; place: KernelPlace; snapshot: SnapshotOptions };
export type ReaderRequest = { open: string } | { read: BlockRange } | { finish: true };
/** What one request brought. */
export type ReaderReply = { rows: number; bytes: number };

const { module, place, snapshot } = workerData as ReaderData;
const port = parentPort!;
const kernel = new KernelInstance(module, place);
const client = snapshotClient(snapshot);
client.on("error", fail);
const connected = client.connect();
// It is awaited by the first request.
connected.catch(() => {});

port.on("message", (request: ReaderRequest) => {
  answer(request).then(reply => port.postMessage(reply), fail);
});

let failure: Error | undefined;

/** Thrown outside of any promise an error ends this thread, and the build with it. The first one tells most. */
function fail(error: Error): void {
  if (failure) return;
  failure = new Error(`reading the users table: ${error.message}`, { cause: error });
  setImmediate(() => {
    throw failure;
  });
}

async function answer(request: ReaderRequest): Promise<ReaderReply> {
  if ("open" in request) {
    await connected;
    await importSnapshot(client, request.open);
  } else if ("read" in request) {
    return readRange(request.read);
  } else {
    kernel.finish();
    await client.end();
  }
  return { rows: 0, bytes: 0 };
}

async function readRange(range: BlockRange): Promise<ReaderReply> {
  let bytes = 0;
  kernel.beginCopy();
  const sent = await rawCopy(client, copyRange(range), chunk => {
    bytes += chunk.length;
    return kernel.take(chunk);
  });
  const rows = kernel.rows();
  if (rows !== sent) throw new Error(`the server sent ${sent} rows, and ${rows} arrived`);
  return { rows, bytes };
}
