import { deadLettersKey, replayedKey } from "../../store/order-keys";
import type { RedisClient } from "../../store/redis";
import { readDeadLetters } from "../orders/dead-letter-entry";
import { readClaim } from "../orders/replay-claim";
import { type FoundOrder, findInRun, type OrderId } from "./order-id";
import { SearchBounds } from "./search-bounds";

/** A dead letter with the order in it. */
export type DeadLetterOfOrder = FoundOrder & {
  /** The dead letter's. */
  id: string;
  deadAt: string;
  reason: string;
  /** Which user replayed it, or what is known of that; null: no user did. */
  replay: string | null;
};
export type DeadLetterSearch = {
  orders: DeadLetterOfOrder[];
  isComplete: boolean;
  /** Dead letters that kept no orders: the order may have been in one of them. */
  withoutOrders: number;
};

const ENTRIES_PER_READ = 200;
/** As many as are kept. */
const MAX_ENTRIES = 10_000;

/** Looks for an order in the dead letters, the newest first. @throws when Redis does not answer */
export async function searchDeadLetters(
  { redis, log }: { redis: RedisClient; log: string },
  id: OrderId,
): Promise<DeadLetterSearch> {
  const bounds = new SearchBounds(MAX_ENTRIES);
  const search: DeadLetterSearch = { orders: [], isComplete: true, withoutOrders: 0 };
  let end = "+";
  for (;;) {
    const entries = await redis.xrevrange(deadLettersKey(log), end, "-", "COUNT", ENTRIES_PER_READ);
    for (const [entryId, fields] of entries) {
      const { run, reason } = readDeadLetters(entryId, fields);
      if (run === null) search.withoutOrders += 1;
      else {
        const deadAt = new Date(Number(entryId.split("-")[0])).toISOString();
        search.orders.push(
          ...findInRun(run, id).map(found => ({ ...found, id: entryId, deadAt, reason, replay: null })),
        );
      }
    }
    if (entries.length < ENTRIES_PER_READ) break;
    end = `(${entries.at(-1)![0]}`;
    if (!bounds.take(entries.length)) {
      search.isComplete = false;
      break;
    }
  }
  for (const order of search.orders)
    order.replay = readClaim(await redis.hget(replayedKey(log), order.id))?.outcome ?? null;
  return search;
}
