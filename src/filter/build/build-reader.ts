import { parentPort, workerData } from "node:worker_threads";
import { KernelInstance, type KernelPlace } from "./kernel-instance";
import { rawCopy } from "./raw-copy";
import { type BlockRange, copyRange, importSnapshot, type SnapshotOptions, snapshotClient } from "./snapshot";

/**
 * A worker thread of a build. Its connection imports the shared snapshot, its kernel writes to the
 * shared memory. It replies to one request at a time; any error ends it.
 */
export type ReaderData = { module: WebAssembly.Module; place: KernelPlace; snapshot: SnapshotOptions };
export type ReaderRequest = { open: string } | { read: BlockRange } | { finish: true };
export type ReaderReply = { rows: number; bytes: number };

const { module, place, snapshot } = workerData as ReaderData;
const port = parentPort!;
const kernel = new KernelInstance(module, place);
const client = snapshotClient(snapshot);
client.on("error", fail);
const connected = client.connect();
// The first request awaits it.
connected.catch(() => {});

port.on("message", (request: ReaderRequest) => {
  handle(request).then(reply => port.postMessage(reply), fail);
});

let failure: Error | undefined;

/** An error that is thrown outside of a promise ends this thread and the build. Only the first is kept. */
function fail(error: Error): void {
  if (failure) return;
  failure = new Error(`Reading the users table failed: ${error.message}`, { cause: error });
  setImmediate(() => {
    throw failure;
  });
}

async function handle(request: ReaderRequest): Promise<ReaderReply> {
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
  if (rows !== sent) throw new Error(`The server sent ${sent} rows, but ${rows} rows arrived.`);
  return { rows, bytes };
}
