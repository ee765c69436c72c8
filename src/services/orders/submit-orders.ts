import { AppError } from "../../domain/app-error";
import { type Order, type OrderInput, readOrder } from "../../domain/orders/order";
import { haltProblem } from "../../domain/orders/symbol-listing";
import type { PlanBook } from "../../orders/plan-book";
import type { ProducerLoops } from "../../orders/producer-loops";
import type { ProducerMetrics } from "../../telemetry/order-metrics";
import type { RecentOrders } from "./recent-orders";

export type SubmitOrdersDeps = {
  plans: PlanBook;
  producer: ProducerLoops;
  metrics: ProducerMetrics;
  recentOrders: RecentOrders;
  /** Charges a client for some orders; resolves to how long to wait when the quota is used up, else 0. */
  charge: (client: string, orders: number) => Promise<number>;
};

/** `durable`: all of them are in the log. False: they are still buffered; they will be, or they are lost with the process. */
export type SubmitAnswer = { accepted: number; durable: boolean };

const DURABLE_TIMEOUT_MS = 5_000;

/**
 * Takes a batch of orders, all or none. With `waitForDurable` it answers when they are in the log, or
 * after five seconds; without, as soon as they are stamped and buffered.
 * @throws AppError BAD_REQUEST (which order, and what is wrong) | CONFLICT (halted symbol) | RATE_LIMITED | BUSY, both with retryAfterMs
 */
export async function submitOrders(
  { plans, producer, metrics, recentOrders, charge }: SubmitOrdersDeps,
  client: string,
  { orders, waitForDurable }: { orders: readonly OrderInput[]; waitForDurable: boolean },
): Promise<SubmitAnswer> {
  const known = plans.tradedSymbols;
  if (known.size === 0)
    throw new AppError("BUSY", "The symbols are not known yet. Try again in a moment.", {
      retryAfterMs: 500,
    });
  const waitMs = await charge(client, orders.length);
  if (waitMs > 0)
    throw new AppError("RATE_LIMITED", `Too many orders. Try again in ${waitMs} ms.`, {
      retryAfterMs: waitMs,
    });
  const read = orders.map((order, index) => readAt(order, index, known));
  for (const { symbol } of read) metrics.offered(symbol).inc();
  const receipt = await producer.submit(read).catch((error: unknown) => {
    metrics.refused.inc(read.length);
    throw error;
  });
  for (const { symbol } of read) metrics.accepted(symbol).inc();
  recentOrders.add(read);
  const durable = waitForDurable ? await isDurable(receipt.durable) : false;
  return { accepted: receipt.accepted, durable };
}

function readAt(order: OrderInput, index: number, known: PlanBook["tradedSymbols"]): Order {
  try {
    const read = readOrder(order, known);
    const problem = read.kind === "cancel" ? null : haltProblem(known.get(read.symbol)!);
    if (problem !== null) throw new AppError("CONFLICT", problem, { rule: "halted" });
    return read;
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    throw new AppError(error.code, `Order ${index + 1}: ${error.message}`, error.details);
  }
}

/** Whether orders became durable in the time that an answer may take. */
export async function isDurable(durable: Promise<void>): Promise<boolean> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<false>(resolve => {
    timer = setTimeout(resolve, DURABLE_TIMEOUT_MS, false);
  });
  try {
    return await Promise.race([durable.then(() => true), late]);
  } finally {
    clearTimeout(timer);
  }
}
