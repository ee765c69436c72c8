import { type DeadLetter, RedisDeadLetterStream } from "../../aggregate/dead-letter-stream";
import { AppError } from "../../domain/app-error";
import type { Order } from "../../domain/orders/order";
import { formatStamp, type Stamp } from "../../domain/orders/order-stamp";
import { BookStatusStore } from "../../engine/book-status-store";
import { type ContinuedStream, planContinuedStream, putContinuedStream } from "../../engine/continue-stream";
import { EngineStore } from "../../engine/engine-store";
import { OrderOutcomes } from "../../engine/order-outcomes";
import { selectOutcomes } from "../../engine/outcome-rows";
import { type RebuiltEngine, rebuildEngine } from "../../engine/rebuild-engine";
import { readOrder } from "../../store/codec/order-payload";
import { encodeOrders } from "../../store/codec/order-record";
import type { Pool, PrismaClient } from "../../store/postgres";
import type { RedisClient } from "../../store/redis";
import { type AuditContext, type AuditNote, writeAudit } from "../audit/write-audit";
import { dropAnswer, settleAnswer } from "../idempotency/stored-answer";

export type ContinueDeps = { pool: Pool; prisma: PrismaClient; redis: RedisClient; log: string };

/** What happens to a paused symbol's orders when its engine continues from its own state. */
export type Continuation = {
  /** Why the symbol is paused. */
  problem: string;
  /** The last order that was matched. */
  position: number;
  /** Orders in Redis that are matched next. */
  next: number;
  /** Orders in Redis that were matched before. */
  repeats: number;
  /** Orders in Redis that came too late: they become dead letters, which can be replayed. */
  late: number;
};

/** Outcomes that are read at once. */
const LOOKED_UP = 5_000;

/** @throws AppError NOT_FOUND | CONFLICT (the symbol is not paused) | BAD_REQUEST (its state can't be rebuilt) */
export async function previewContinuation(deps: ContinueDeps, symbol: string): Promise<Continuation> {
  return (await plan(deps, symbol)).shown;
}

/**
 * Lets a paused symbol continue from the engine's state: its book is rebuilt from what is stored, and newer orders
 * of the ordered stream get the positions behind it. What only the lost Redis had is gone.
 * @throws AppError as previewContinuation, and CONFLICT when the engine or the aggregator has moved
 */
export async function continueSymbol(
  deps: ContinueDeps,
  audit: AuditContext,
  { symbol, expectedPosition, reason }: { symbol: string; expectedPosition: number; reason: string },
): Promise<Continuation> {
  const { pool, prisma, redis, log } = deps;
  const { shown, rebuilt, stream, late } = await plan(deps, symbol);
  if (shown.position !== expectedPosition) throw movedOn(symbol);
  const { engine, last } = rebuilt;
  const stored = { position: engine.position, last };
  const note: AuditNote = {
    target: `symbol:${symbol}`,
    before: { problem: shown.problem },
    after: shown,
    reason,
    answer: null,
  };
  await writeAudit(prisma, audit, note);
  try {
    if (!(await new EngineStore(pool).storeSnapshot(symbol, engine.position, engine.snapshot())))
      throw movedOn(symbol);
    // Before the stream is replaced: a repeat of this finds them by their ids.
    await new RedisDeadLetterStream(redis, log).add(late);
    if (!(await putContinuedStream({ redis, log, symbol }, stored, stream))) throw movedOn(symbol);
  } catch (error) {
    await writeAudit(prisma, audit, { ...note, outcome: "failed" });
    await dropAnswer(prisma, audit.intent).catch(() => {});
    throw error;
  }
  await settleAnswer(prisma, audit.intent, shown).catch(() => {});
  return shown;
}

type Planned = { shown: Continuation; rebuilt: RebuiltEngine; stream: ContinuedStream; late: DeadLetter[] };

async function plan({ pool, redis, log }: ContinueDeps, symbol: string): Promise<Planned> {
  const { problems } = await new BookStatusStore(redis, log).read();
  const problem = problems.get(symbol);
  if (problem === undefined) throw new AppError("CONFLICT", `${symbol} is not paused.`);
  const rebuilt = await rebuild(pool, symbol);
  const { position } = rebuilt.engine;
  const stream = await planContinuedStream({ redis, log, symbol }, { position, last: rebuilt.last });
  const late = await findLate(pool, symbol, stream);
  const shown = {
    problem,
    position,
    next: stream.count,
    repeats: stream.old.length - late.length,
    late: late.length,
  };
  return { shown, rebuilt, stream, late };
}

async function rebuild(pool: Pool, symbol: string): Promise<RebuiltEngine> {
  let rebuilt: RebuiltEngine | null;
  try {
    rebuilt = await rebuildEngine(pool, symbol);
  } catch (cause) {
    throw new AppError("BAD_REQUEST", `The state of ${symbol} can't be rebuilt. The log has the reason.`, {
      cause,
    });
  }
  if (!rebuilt) throw new AppError("NOT_FOUND", `No order of “${symbol}” was matched.`);
  return rebuilt;
}

/** Orders that are not newer than the last one that was matched, and that the engine does not know. */
async function findLate(pool: Pool, symbol: string, { old }: ContinuedStream): Promise<DeadLetter[]> {
  const late: DeadLetter[] = [];
  for (let from = 0; from < old.length; from += LOOKED_UP) {
    const read = old
      .slice(from, from + LOOKED_UP)
      .map(one => ({ ...one, order: readOrder(one.payload, symbol) }));
    const orders = read.flatMap(({ order }) => order ?? []);
    const known = new OrderOutcomes(await selectOutcomes(pool, symbol, orders));
    for (const { stamp, payload, order } of read)
      if (order && !isDone(order, known)) late.push(deadLetterOf(symbol, stamp, payload));
  }
  return late;
}

/** A cancel was done when its order is no longer open. */
function isDone({ kind, accountId, orderId }: Order, known: OrderOutcomes): boolean {
  const outcome = known.find(accountId, orderId);
  if (!outcome || kind !== "cancel") return outcome !== undefined;
  const { reason, cancelledPosition, filled, quantity } = outcome;
  return outcome.kind === "market" || reason !== null || cancelledPosition !== null || filled === quantity;
}

function deadLetterOf(symbol: string, stamp: Stamp, payload: Buffer): DeadLetter {
  const { timeUs, sequence, producer } = stamp;
  const columns = { timesUs: [timeUs], sequences: [sequence], ends: [payload.length], payloads: payload };
  return {
    id: `${symbol} ${formatStamp(stamp)}`,
    reason: "late",
    event: { symbol, timeUs, producer, sequence },
    record: encodeOrders(producer, symbol, columns),
  };
}

const movedOn = (symbol: string) =>
  new AppError("CONFLICT", `${symbol} has changed in the meantime. Look at it again, then continue.`);
