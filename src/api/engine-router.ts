import { z } from "zod";
import { SYMBOL_PATTERN } from "../domain/orders/order";
import { actionProcedure, router } from "./trpc";

export const engineRouter = router({
  /** Every symbol's top of book, last trade, position and lag; prices in whole units of its decimals. */
  list: actionProcedure("orders.view").query(({ ctx }) => ctx.services.orders.listEngines()),

  /** The last trades and rejects of one symbol, and its rejects by cause. */
  get: actionProcedure("orders.view")
    .input(z.object({ symbol: z.string().regex(SYMBOL_PATTERN, "This is not a symbol.") }))
    .query(({ ctx, input }) => ctx.services.orders.readEngine(input.symbol)),
});
