import { z } from "zod";
import { AUTOMATIC_RANGES } from "../domain/orders/automatic-split";
import { SYMBOL_PATTERN } from "../domain/orders/order";
import { PLACEMENTS, STRATEGIES } from "../domain/orders/split-plan";
import { reason } from "./staff-input";
import { symbolPageInput } from "./symbol-page-input";
import { actionProcedure, router } from "./trpc";

const symbol = z.string().regex(SYMBOL_PATTERN, "Symbols are 1 to 12 capital letters and digits.");
const factor = z
  .number({ error: "The split factor is a whole number." })
  .int("The split factor is a whole number.")
  .min(1, "The split factor is at least 1, which means not split.")
  .max(500, "The split factor is at most 500.");

const between = ({ min, max }: { min: number; max: number }) => z.number().int().min(min).max(max);

export const symbolRouter = router({
  /** Every symbol with its split plan, the shard of each sub-key, its live figures and its suggestion. */
  list: actionProcedure("symbol.view").query(({ ctx }) => ctx.services.orders.listSymbols()),

  /** The same for one page of the table, with totals of the symbols on other pages. */
  page: actionProcedure("symbol.view")
    .input(symbolPageInput)
    .query(({ ctx, input }) => ctx.services.orders.symbolPage(input)),

  /** The load of each shard after a split, from live figures; changes nothing. */
  preview: actionProcedure("symbol.view")
    .input(z.object({ symbol, factor, placement: z.enum(PLACEMENTS).default("planned") }))
    .query(({ ctx, input }) => ctx.services.orders.previewSplit(input)),

  /** Splits a symbol (factor above 1, until `expiresAt`) or merges it (1). `expectedEpoch`: the epoch that the caller saw. */
  split: actionProcedure("symbol.split")
    .input(
      z.object({
        symbol,
        factor,
        strategy: z.enum(STRATEGIES).default("account"),
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
      ctx.services.orders.changeSplitPlan(ctx.audit, { ...input, expiresAt: input.expiresAt ?? null }),
    ),

  /** Hides a suggestion for 5 minutes to a day; automatic mode does not change the symbol in that time. */
  dismiss: actionProcedure("symbol.dismiss")
    .input(
      z.object({
        symbol,
        kind: z.enum(["split", "merge"]),
        forMinutes: between({ min: 5, max: 1_440 }).default(30),
        reason,
      }),
    )
    .mutation(({ ctx, input }) => ctx.services.orders.dismissSuggestion(ctx.audit, input)),

  /** Turns automatic mode on or off and sets its bounds. `expectedVersion`: the version that the caller saw. */
  setAutomatic: actionProcedure("symbol.setAutomatic")
    .input(
      z.object({
        symbol,
        on: z.boolean(),
        reason,
        expectedVersion: z.number().int().min(0),
        maxFactor: between(AUTOMATIC_RANGES.maxFactor),
        minHotSeconds: between(AUTOMATIC_RANGES.minHotSeconds),
        maxChangesPerHour: between(AUTOMATIC_RANGES.maxChangesPerHour),
      }),
    )
    .mutation(async ({ ctx, input }) => {
      await ctx.services.orders.setAutomaticMode(ctx.audit, input);
      return { ok: true as const };
    }),
});
