import { booksKey } from "../store/order-keys";
import type { RedisClient } from "../store/redis";
import type { TopOfBook } from "./order-book";
import type { SymbolEngine } from "./symbol-engine";

/** The top of a symbol's book in whole units. `atMs`: when its engine said so, milliseconds since 1970. */
export type ShownBook = TopOfBook & { atMs: number; position: number };

/** What has not changed is said again so often: silence means that no engine runs. */
const REPEAT_MS = 4_000;
const FRESH_MS = 10_000;
const FIELDS_PER_CALL = 200;

/** The tops of all books in one hash, a field per traded symbol. Each engine writes those it holds, once a second. */
export class BookBoard {
  private readonly key: string;
  private readonly written = new Map<string, { position: number; atMs: number }>();

  constructor(
    private readonly redis: RedisClient,
    log: string,
  ) {
    this.key = booksKey(log);
  }

  async write(engines: readonly SymbolEngine[], nowMs = Date.now()): Promise<void> {
    const due = engines.filter(({ symbol, position }) => {
      const last = this.written.get(symbol);
      return !last || last.position !== position || nowMs - last.atMs >= REPEAT_MS;
    });
    for (let from = 0; from < due.length; from += FIELDS_PER_CALL) {
      const some = due.slice(from, from + FIELDS_PER_CALL);
      const fields = some.flatMap(engine => {
        const book: ShownBook = { ...engine.top(), atMs: nowMs, position: engine.position };
        return [engine.symbol, JSON.stringify(book)];
      });
      await this.redis.hset(this.key, ...fields);
      for (const { symbol, position } of some) this.written.set(symbol, { position, atMs: nowMs });
    }
  }

  /** Those that an engine has shown in the last seconds. @throws when Redis does not answer */
  async read(nowMs = Date.now()): Promise<Map<string, ShownBook>> {
    const fields = await this.redis.hgetall(this.key);
    const books = Object.entries(fields).map(
      ([symbol, json]) => [symbol, JSON.parse(json) as ShownBook] as const,
    );
    return new Map(books.filter(([, { atMs }]) => nowMs - atMs <= FRESH_MS));
  }
}
