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
  .min(1, "Split by 1 at least: 1 is not split.")
  .max(500, "Split by 500 at most.");

const between = ({ min, max }: { min: number; max: number }) => z.number().int().min(min).max(max);

export const symbolRouter = router({
  /** Every symbol, how it is split, on which shard each sub-key lands, what flows, and what is proposed. */
  list: actionProcedure("symbol.view").query(({ ctx }) => ctx.services.orders.listSymbols()),

  /** The same for one leaf of a table, with what is to be known of the symbols that are not on it. */
  page: actionProcedure("symbol.view")
    .input(symbolPageInput)
    .query(({ ctx, input }) => ctx.services.orders.symbolPage(input)),

  /** What a split would do to each shard, from live figures; changes nothing. */
  preview: actionProcedure("symbol.view")
    .input(z.object({ symbol, factor, placement: z.enum(PLACEMENTS).default("planned") }))
    .query(({ ctx, input }) => ctx.services.orders.previewSplit(input)),

  /** Marks a symbol hot (a factor above 1, "hot until") or cools it down (1). `expectedEpoch` is the one that was seen. */
  split: actionProcedure("symbol.split")
    .input(
      z.object({
        symbol,
        factor,
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
      ctx.services.orders.changeSplitPlan(ctx.audit, { ...input, expiresAt: input.expiresAt ?? null }),
    ),

  /** Takes a suggestion off the page for 5 minutes to a day; automatic mode leaves the symbol alone for as long. */
  dismiss: actionProcedure("symbol.dismiss")
    .input(
      z.object({
        symbol,
        kind: z.enum(["split", "unsplit"]),
        forMinutes: between({ min: 5, max: 1_440 }).default(30),
        reason,
      }),
    )
    .mutation(({ ctx, input }) => ctx.services.orders.dismissSuggestion(ctx.audit, input)),

  /** May the symbol be split without a trader, and within which bounds. `expectedVersion` is the one that was seen. */
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
