import type { Socket } from "node:net";
import type pg from "pg";
import { setLending } from "./lending-socket";

/** What pg hands to a query class of one's own: the socket, and how to send a simple query. */
type RawConnection = { stream: Socket; query(text: string): void };
type Take = (chunk: Buffer) => Buffer | null;

/**
 * Runs one COPY … TO STDOUT and hands the socket's bytes to `take`, whole chunks of the wire protocol
 * as they come: pg would make an event of every row. `take` returns null while it wants more, else the
 * bytes from the first message on that is not its own; pg's parser goes on from there. The next
 * chunk is read from the socket when `take` has returned, so that a slow reader slows the server down.
 * `take` must not keep a chunk. @returns rows of the COPY, as the server counted them
 * @throws the server's error, pg's when the connection is lost, or what `take` threw (the connection is cut)
 */
export function rawCopy(client: pg.Client, sql: string, take: Take): Promise<number> {
  return new Promise((resolve, reject) => {
    let rows = Number.NaN;
    client.query({
      submit(connection: pg.Connection) {
        const { stream } = connection as unknown as RawConnection;
        const parsers = stream.listeners("data") as ((chunk: Buffer) => void)[];
        const giveBack = () => {
          stream.off("data", onData);
          setLending(stream, false);
          for (const parser of parsers) stream.on("data", parser);
        };
        const onData = (chunk: Buffer) => {
          try {
            const rest = take(chunk);
            if (!rest) return;
            giveBack();
            for (const parser of parsers) parser(rest);
          } catch (error) {
            reject(error);
            stream.destroy();
          }
        };
        for (const parser of parsers) stream.off("data", parser);
        stream.on("data", onData);
        setLending(stream, true);
        (connection as unknown as RawConnection).query(sql);
      },
      handleCommandComplete({ text }: { text: string }) {
        rows = Number(/^COPY (\d+)$/.exec(text)?.[1]);
      },
      handleReadyForQuery: () => resolve(rows),
      handleError: reject,
    } as pg.Submittable);
  });
}
