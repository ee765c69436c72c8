import type { Socket } from "node:net";
import type pg from "pg";
import { setLending } from "./lending-socket";

/** What pg passes to a custom query class: the socket, and a method that sends a simple query. */
type RawConnection = { stream: Socket; query(text: string): void };
type Take = (chunk: Buffer) => Buffer | null;

/**
 * Runs one COPY … TO STDOUT and passes the socket's chunks to `take`, because pg would emit an event for
 * every row. `take` returns null while it wants more, else the bytes from the first message of another
 * kind on, for pg's parser. `take` must not keep a chunk.
 * @returns rows of the COPY, as the server counted them
 * @throws the server's error, pg's error when the connection is lost, or the error of `take`
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
