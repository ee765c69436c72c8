import { AppError } from "../../domain/app-error";
import type { Order } from "../../domain/orders/order";
import type { ProducerLoops } from "../../orders/producer-loops";
import type { Receipt } from "../../orders/receipt";
import { deadLettersKey, replayedKey } from "../../store/order-keys";
import type { PrismaClient } from "../../store/postgres";
import type { Actor } from "../access/read-actor";
import { requireAccounts } from "../access/require-accounts";
import { type AuditContext, type AuditNote, writeAudit } from "../audit/write-audit";
import { dropAnswer, settleAnswer } from "../idempotency/stored-answer";
import { notReplayableReason, ordersOf, readDeadLetters } from "./dead-letter-entry";
import type { ListDeadLettersDeps } from "./list-dead-letters";
import { claimOf, readClaim } from "./replay-claim";
import { isDurable } from "./submit-orders";

export type ReplayDeadLetterDeps = ListDeadLettersDeps & { prisma: PrismaClient; producer: ProducerLoops };

/** Orders that are named in the audit row. */
const NAMED = 100;

/**
 * Sends the orders of a dead letter as new ones, with stamps of now, behind all orders of the log.
 * At most once: first the claim, then the audit row, then the orders.
 * @param caller a token replays orders of its own accounts alone
 * @throws AppError NOT_FOUND | BAD_REQUEST (not replayable) | FORBIDDEN (another account) | CONFLICT (already replayed) | BUSY
 */
export async function replayDeadLetter(
  deps: ReplayDeadLetterDeps,
  audit: AuditContext,
  { id, reason, caller }: { id: string; reason: string; caller: Pick<Actor, "accounts"> },
): Promise<{ accepted: number; durable: boolean }> {
  const { redis, log, prisma } = deps;
  const { orders, event } = await readSendable(deps, id);
  requireAccounts(caller, orders);
  const key = replayedKey(log);
  const { name } = audit.actor;
  if ((await redis.write(key, "HSETNX", id, claimOf("sending", name))) === 0)
    throw new AppError(
      "CONFLICT",
      readClaim(await redis.hget(key, id))?.outcome ?? "Another user was faster.",
    );
  const note: AuditNote = {
    target: `orders:${id}`,
    after: { replayed: orders.length, orders: orders.slice(0, NAMED).map(nameOf), ...event },
    reason,
    answer: null,
  };
  let receipt: Receipt;
  try {
    await writeAudit(prisma, audit, note);
    receipt = await deps.producer.submit(orders).catch(async (error: unknown) => {
      await writeAudit(prisma, audit, { ...note, outcome: "failed" });
      throw error;
    });
  } catch (error) {
    // No order was sent. When this fails as well, the claim stays: the outcome is unknown.
    await redis.write(key, "HDEL", id).catch(() => {});
    await dropAnswer(prisma, audit.intent).catch(() => {});
    throw error;
  }
  await redis.write(key, "HSET", id, claimOf("sent", name)).catch(() => {});
  const answer = { accepted: receipt.accepted, durable: await isDurable(receipt.durable) };
  await settleAnswer(prisma, audit.intent, answer).catch(() => {});
  return answer;
}

async function readSendable({ redis, log, plans }: ReplayDeadLetterDeps, id: string) {
  const [found] = await redis.xrange(deadLettersKey(log), id, id);
  if (!found) throw new AppError("NOT_FOUND", "This event is not kept any more.");
  const entry = readDeadLetters(id, found[1]);
  const problem = notReplayableReason(entry, plans.tradedSymbols);
  if (problem !== null) throw new AppError("BAD_REQUEST", problem);
  try {
    return { orders: ordersOf(entry), event: entry.event };
  } catch (cause) {
    throw new AppError("BAD_REQUEST", "Its bytes could not be read as orders.", { cause });
  }
}

const nameOf = ({ symbol, accountId, orderId }: Order) => `${symbol} ${accountId} ${orderId}`;
