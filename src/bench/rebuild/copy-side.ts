import type { Socket } from "node:net";
import { closeSocket, copyRange, snapshotClient } from "../../filter/build/snapshot";
import type { Figures, SideInput } from "./side-input";

/** ReadyForQuery: the last message of every answer. */
const READY = Buffer.from([0x5a, 0, 0, 0, 5]);

/** The baseline: the bytes of the same COPY, over one connection, read in Node and thrown away. */
export async function copySide({ databaseUrl }: SideInput): Promise<Figures> {
  const client = snapshotClient({ databaseUrl, timeLimitMs: 600_000 });
  await client.connect();
  const { connection } = client as unknown as { connection: { stream: Socket; query(sql: string): void } };
  const { stream } = connection;
  const startedAt = performance.now();
  let bytes = 0;
  await new Promise<void>((resolve, reject) => {
    stream.removeAllListeners("data");
    stream.on("data", (chunk: Buffer) => {
      bytes += chunk.length;
      if (chunk.subarray(-6, -1).equals(READY)) resolve();
    });
    stream.once("close", () => reject(new Error("the connection was lost")));
    connection.query(copyRange({ from: 0 }));
  });
  const ms = performance.now() - startedAt;
  closeSocket(client);
  return { ms, bytes };
}
