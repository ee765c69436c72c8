import { z } from "zod";
import { SYMBOL_PATTERN } from "../domain/order";
import { PLACEMENTS, STRATEGIES } from "../domain/split-plan";
import { reason } from "./staff-input";
import { actionProcedure, router } from "./trpc";

export const symbolRouter = router({
  /** Every symbol, how it is split, and on which shard each sub-key lands. */
  list: actionProcedure("symbol.view").query(async ({ ctx }) => ({
    rows: await ctx.services.orders.listSymbols(),
  })),

  /** Marks a symbol hot (a factor above 1, "hot until") or cools it down (1). `expectedEpoch` is the one that was seen. */
  split: actionProcedure("symbol.split")
    .input(
      z.object({
        symbol: z.string().regex(SYMBOL_PATTERN, "Symbols are 1 to 12 capital letters and digits."),
        factor: z.number().int().min(1).max(500),
        strategy: z.enum(STRATEGIES).default("random"),
        placement: z.enum(PLACEMENTS).default("planned"),
        expectedEpoch: z.number().int().min(0),
        expiresAt: z.iso
          .datetime({ offset: true })
          .transform(text => new Date(text))
          .nullish(),
        reason,
      }),
    )
    .mutation(({ ctx, input }) =>
      ctx.services.orders.changeSplitPlan(ctx.by, { ...input, expiresAt: input.expiresAt ?? null }),
    ),
});
