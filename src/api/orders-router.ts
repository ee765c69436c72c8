import { z } from "zod";
import { ORDER_ID, orderInput, SYMBOL_PATTERN } from "../domain/orders/order";
import { requireAccounts, requireVisibleAccount } from "../services/access/require-accounts";
import { once } from "./once";
import { instant, reason } from "./staff-input";
import { actionProcedure, router } from "./trpc";

/** A request of 64 kB holds so many. */
const MAX_ORDERS = 250;
const id = z.string().regex(ORDER_ID, "Use 1 to 36 letters, digits, - or _.");
const symbol = z.string().regex(SYMBOL_PATTERN, "This is not a symbol.");

export const ordersRouter = router({
  /**
   * Takes all orders of the batch or none. `durable`: they are in the log; false: they are buffered.
   * Machines call it with a service token that has the scope `orders.submit`, for the accounts of the token.
   */
  submit: actionProcedure("orders.submit")
    .input(
      z.object({
        orders: z.array(orderInput).min(1).max(MAX_ORDERS, `Send at most ${MAX_ORDERS} orders at once.`),
        waitForDurable: z.boolean().default(true),
      }),
    )
    .mutation(({ ctx, input }) => {
      requireAccounts(ctx.caller, input.orders);
      return ctx.services.orders.submit(ctx.audit, input);
    }),

  /** What became of an order, by the engine's record. Safe to ask after a lost answer of `submit`. */
  get: actionProcedure("orders.view")
    .input(z.object({ accountId: id, orderId: id, symbol: symbol.optional() }))
    .query(({ ctx, input }) => {
      requireVisibleAccount(ctx.caller, input.accountId);
      return ctx.services.orders.readOrder(input);
    }),

  /** Where an order is on its way: server, log, ordered stream, engine, dead letters. For people; machines use `get`. */
  trace: actionProcedure("orders.trace")
    .input(z.object({ accountId: id, orderId: id, symbol: symbol.optional() }))
    .query(({ ctx, input }) => {
      requireVisibleAccount(ctx.caller, input.accountId);
      return ctx.services.orders.trace(input);
    }),

  /** An account's orders among the last 100,000 of a symbol, newest first. */
  list: actionProcedure("orders.view")
    .input(z.object({ accountId: id, symbol, limit: z.number().int().min(1).max(200).default(50) }))
    .query(async ({ ctx, input }) => {
      requireVisibleAccount(ctx.caller, input.accountId);
      return { rows: await ctx.services.orders.listOrders(input) };
    }),

  /** Producers, aggregators with their slowest producer, shards and engines. */
  status: actionProcedure("orders.view").query(({ ctx }) => ctx.services.orders.status()),

  /** Records, bytes and throttled records of every shard per second; null where no server reported. */
  shardSeries: actionProcedure("orders.view")
    .input(z.object({ from: instant, to: instant }))
    .query(({ ctx, input }) =>
      ctx.services.orders.shardSeries({ fromMs: Date.parse(input.from), toMs: Date.parse(input.to) }),
    ),

  /** Order dead letters, newest first. */
  deadLetters: actionProcedure("orders.view")
    .input(z.object({ limit: z.number().int().min(1).max(200).default(50) }))
    .query(async ({ ctx, input }) => ({ rows: await ctx.services.orders.deadLetters(input.limit) })),

  /** Submits the orders of a dead letter again, with new stamps; each dead letter once. */
  replay: actionProcedure("orders.replay")
    .input(
      z.object({
        id: z.string().regex(/^\d{1,15}-\d{1,9}$/, "This is not the id of a dead letter."),
        reason,
      }),
    )
    .mutation(
      once(({ ctx, input }) => ctx.services.orders.replay(ctx.audit, { ...input, caller: ctx.caller })),
    ),
});
