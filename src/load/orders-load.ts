import { randomBytes } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { MARKET_MAKER } from "../scenario/scenario-traffic";
import type { OrdersLoadOptions } from "./options";
import { createSender } from "./send";

export type OrdersLoadReport = {
  sent: number;
  accepted: number;
  refused: number;
  failed: number;
  /** Too many requests were outstanding. */
  notSent: number;
};

const TICK_MS = 50;
const BATCH = 200;
const MAX_OUTSTANDING = 64;
const ACCOUNTS = 1_000;

/**
 * Orders of one symbol at a fixed rate, independent of the answers: the market maker sells at a fixed price
 * and accounts buy, so that the book stays small. The engine must give the market maker credit. Refused orders are counted and not sent again.
 */
export async function runOrdersLoad(
  { url, symbol, rate, seconds }: OrdersLoadOptions,
  token: string,
  signal: AbortSignal,
): Promise<OrdersLoadReport> {
  const { send, close } = createSender(url);
  const report: OrdersLoadReport = { sent: 0, accepted: 0, refused: 0, failed: 0, notSent: 0 };
  const run = randomBytes(4).toString("hex");
  const authorization = `Bearer ${token}`;
  const outstanding = new Set<Promise<void>>();
  let serial = 0;
  const order = () => {
    serial += 1;
    const base = { kind: "limit", symbol, orderId: `${run}-${serial}`, price: "1", quantity: "1" };
    return serial % 2 === 1
      ? { ...base, accountId: MARKET_MAKER, side: "sell" }
      : { ...base, accountId: `a${serial % ACCOUNTS}`, side: "buy" };
  };
  const submit = async (count: number) => {
    const orders = Array.from({ length: count }, order);
    report.sent += count;
    try {
      const input = { orders, waitForDurable: false };
      const { status } = await send({ procedure: "orders.submit", input, mutation: true, authorization });
      if (status === 200) report.accepted += count;
      else report.refused += count;
    } catch {
      report.failed += count;
    }
  };

  const startedAt = performance.now();
  let due = 0;
  while (!signal.aborted) {
    const elapsedMs = performance.now() - startedAt;
    if (elapsedMs >= seconds * 1_000) break;
    const wanted = Math.floor((elapsedMs / 1_000) * rate);
    for (; due < wanted; ) {
      const count = Math.min(BATCH, wanted - due);
      due += count;
      if (outstanding.size >= MAX_OUTSTANDING) {
        report.notSent += count;
        continue;
      }
      const call = submit(count).finally(() => outstanding.delete(call));
      outstanding.add(call);
    }
    await sleep(TICK_MS, undefined, { signal }).catch(() => {});
  }
  await Promise.all(outstanding);
  close();
  return report;
}
