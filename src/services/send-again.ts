import { AppError } from "../domain/app-error";
import type { ProducerLoops } from "../orders/producer-loops";
import { sentAgainKey, sideStreamKey } from "../store/order-keys";
import type { PrismaClient } from "../store/postgres";
import type { ListSetAsideDeps } from "./list-set-aside";
import { readSetAside, whyNotAgain } from "./set-aside-entry";
import { isDurable } from "./submit-orders";
import { type By, writeAudit } from "./write-audit";

export type SendAgainDeps = ListSetAsideDeps & { prisma: PrismaClient; producer: ProducerLoops };

/** Orders that are named in the audit row. */
const NAMED = 100;

/**
 * Sends the orders of an event that was set aside as new ones: they get stamps of now, behind everything
 * that is there. Once only: the claim comes first, and stays when the process dies in between.
 * @throws AppError NOT_FOUND | BAD_REQUEST (it can't be) | CONFLICT (somebody has) | BUSY
 */
export async function sendAgain(
  { redis, log, plans, prisma, producer }: SendAgainDeps,
  by: By,
  { id, reason }: { id: string; reason: string },
) {
  const [found] = await redis.xrange(sideStreamKey(log), id, id);
  if (!found) throw new AppError("NOT_FOUND", "This event is not kept any more.");
  const entry = readSetAside(id, found[1]);
  const problem = whyNotAgain(entry, plans.tradedSymbols);
  if (problem !== null) throw new AppError("BAD_REQUEST", problem);
  const { orders } = entry;
  const key = sentAgainKey(log);
  if ((await redis.hsetnx(key, id, by.actor.name)) === 0)
    throw new AppError("CONFLICT", `${await redis.hget(key, id)} has sent this event again already.`);
  let wasSent = false;
  try {
    return await prisma.$transaction(async tx => {
      await writeAudit(tx, by, {
        target: `orders:${id}`,
        after: { sentAgain: orders.length, orders: orders.slice(0, NAMED).map(nameOf), ...entry.event },
        reason,
      });
      const ticket = await producer.submit(orders);
      wasSent = true;
      return { accepted: ticket.accepted, durable: await isDurable(ticket.durable) };
    }, TRANSACTION);
  } catch (error) {
    if (!wasSent) await redis.hdel(key, id);
    throw error;
  }
}

/** Longer than an answer waits for durability. */
const TRANSACTION = { timeout: 10_000 };

const nameOf = ({ symbol, accountId, orderId }: { symbol: string; accountId: string; orderId: string }) =>
  `${symbol} ${accountId} ${orderId}`;
