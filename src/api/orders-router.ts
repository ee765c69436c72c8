import { z } from "zod";
import { orderInput } from "../domain/orders/order";
import { instant, reason } from "./staff-input";
import { actionProcedure, router } from "./trpc";

/** As many as fit into a request of 64 kB. */
const MAX_ORDERS = 250;

export const ordersRouter = router({
  /**
   * All orders of the batch or none. `durable`: they are in the log; false: they are buffered. Machines
   * call it with a service token whose scope is `orders.submit`.
   */
  submit: actionProcedure("orders.submit")
    .input(
      z.object({
        orders: z.array(orderInput).min(1).max(MAX_ORDERS, `Send at most ${MAX_ORDERS} orders at once.`),
        waitForDurable: z.boolean().default(true),
      }),
    )
    .mutation(({ ctx, input }) => ctx.services.orders.submit(ctx.audit, input)),

  /** Producers, aggregators and whom they wait for, shards, engines. */
  status: actionProcedure("orders.view").query(({ ctx }) => ctx.services.orders.status()),

  /** Records, bytes and throttles of every shard per second; null where nothing is known. */
  shardSeries: actionProcedure("orders.view")
    .input(z.object({ from: instant, to: instant }))
    .query(({ ctx, input }) =>
      ctx.services.orders.shardSeries({ fromMs: Date.parse(input.from), toMs: Date.parse(input.to) }),
    ),

  /** Orders that came too late or make no sense, newest first. */
  deadLetters: actionProcedure("orders.view")
    .input(z.object({ limit: z.number().int().min(1).max(200).default(50) }))
    .query(async ({ ctx, input }) => ({ rows: await ctx.services.orders.deadLetters(input.limit) })),

  /** Sends what was set aside as new orders, with stamps of now; each event once. */
  replay: actionProcedure("orders.replay")
    .input(z.object({ id: z.string().regex(/^\d{1,15}-\d{1,9}$/, "This is no event’s id."), reason }))
    .mutation(({ ctx, input }) => ctx.services.orders.replay(ctx.audit, input)),
});
