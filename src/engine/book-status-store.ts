import { booksKey } from "../store/order-keys";
import type { RedisClient } from "../store/redis";
import type { TopOfBook } from "./order-book";
import type { SymbolEngine } from "./symbol-engine";

/** The top of a symbol's book in whole units. `atMs`: when its engine wrote it, milliseconds since 1970. */
export type ShownBook = TopOfBook & { atMs: number; position: number };
/** A paused symbol, and why. */
type ShownProblem = { atMs: number; problem: string };
export type ShownBooks = { books: Map<string, ShownBook>; problems: Map<string, string> };

/** An unchanged book is written again so often: an old one means that no engine runs. */
const REPEAT_MS = 4_000;
const FRESH_MS = 10_000;
const FIELDS_PER_CALL = 200;

/** The tops of all books in one hash, a field per traded symbol. Each engine writes its own symbols, once a second. */
export class BookStatusStore {
  private readonly key: string;
  private readonly written = new Map<string, { position: number; atMs: number }>();

  constructor(
    private readonly redis: RedisClient,
    log: string,
  ) {
    this.key = booksKey(log);
  }

  async write(
    { engines, problems }: { engines: readonly SymbolEngine[]; problems: ReadonlyMap<string, string> },
    nowMs = Date.now(),
  ): Promise<void> {
    await this.writeProblems(problems, nowMs);
    const due = engines.filter(({ symbol, position }) => {
      const last = this.written.get(symbol);
      return !last || last.position !== position || Math.abs(nowMs - last.atMs) >= REPEAT_MS;
    });
    for (let from = 0; from < due.length; from += FIELDS_PER_CALL) {
      const some = due.slice(from, from + FIELDS_PER_CALL);
      const fields = some.flatMap(engine => {
        const book: ShownBook = { ...engine.top(), atMs: nowMs, position: engine.position };
        return [engine.symbol, JSON.stringify(book)];
      });
      await this.redis.write(this.key, "HSET", ...fields);
      for (const { symbol, position } of some) this.written.set(symbol, { position, atMs: nowMs });
    }
  }

  /** The tops of books that engines wrote in the last seconds. @throws when Redis does not answer */
  async read(nowMs = Date.now()): Promise<ShownBooks> {
    const shown: ShownBooks = { books: new Map(), problems: new Map() };
    for (const [symbol, json] of Object.entries(await this.redis.hgetall(this.key))) {
      const field = JSON.parse(json) as ShownBook | ShownProblem;
      if (Math.abs(nowMs - field.atMs) > FRESH_MS) continue;
      if ("problem" in field) shown.problems.set(symbol, field.problem);
      else shown.books.set(symbol, field);
    }
    return shown;
  }

  private async writeProblems(problems: ReadonlyMap<string, string>, atMs: number): Promise<void> {
    if (problems.size === 0) return;
    const fields = [...problems].flatMap(([symbol, problem]) => {
      this.written.delete(symbol);
      return [symbol, JSON.stringify({ atMs, problem } satisfies ShownProblem)];
    });
    await this.redis.write(this.key, "HSET", ...fields);
  }
}
