import { z } from "zod";
import { SYMBOL_PATTERN } from "../domain/orders/order";
import { once } from "./once";
import { reason } from "./staff-input";
import { actionProcedure, router } from "./trpc";

const symbol = z.string().regex(SYMBOL_PATTERN, "This is not a symbol.");

export const engineRouter = router({
  /** Every symbol's top of book, last trade, position and lag; prices in whole units of its decimals. */
  list: actionProcedure("orders.view").query(({ ctx }) => ctx.services.orders.listEngines()),

  /** The last trades and rejects of one symbol, and its rejects by cause. */
  get: actionProcedure("orders.view")
    .input(z.object({ symbol }))
    .query(({ ctx, input }) => ctx.services.orders.readEngine(input.symbol)),

  /** What happens to the orders of a paused symbol when it continues from the engine's state; changes nothing. */
  preview: actionProcedure("orders.view")
    .input(z.object({ symbol }))
    .query(({ ctx, input }) => ctx.services.orders.previewContinuation(input.symbol)),

  /** Lets a paused symbol continue from the engine's state. `expectedPosition`: as the preview showed it. */
  continue: actionProcedure("engine.continue")
    .input(z.object({ symbol, expectedPosition: z.number().int().min(0), reason }))
    .mutation(once(({ ctx, input }) => ctx.services.orders.continueSymbol(ctx.audit, input))),
});
