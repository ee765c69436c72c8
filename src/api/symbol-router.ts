import { z } from "zod";
import { AUTOMATIC_RANGES } from "../domain/orders/automatic-split";
import { SYMBOL_PATTERN } from "../domain/orders/order";
import { PLACEMENTS, STRATEGIES } from "../domain/orders/split-plan";
import { MAX_DECIMALS } from "../domain/orders/symbol-listing";
import { once } from "./once";
import { int4, reason } from "./staff-input";
import { symbolPageInput } from "./symbol-page-input";
import { actionProcedure, router } from "./trpc";

const symbol = z.string().regex(SYMBOL_PATTERN, "Symbols are 1 to 12 capital letters and digits.");
const factor = z
  .number({ error: "The split factor is a whole number." })
  .int("The split factor is a whole number.")
  .min(1, "The split factor is at least 1, which means not split.")
  .max(500, "The split factor is at most 500.");

const between = ({ min, max }: { min: number; max: number }) => z.number().int().min(min).max(max);

const decimals = z
  .number({ error: "The decimals are a whole number." })
  .int("The decimals are a whole number.")
  .min(0, "The decimals are at least 0.")
  .max(
    MAX_DECIMALS,
    `The decimals are at most ${MAX_DECIMALS}: amounts are at most 10^15 of the smallest unit.`,
  );

/** `expectedVersion`: the listing version that the caller saw. */
const listingInput = z.object({ symbol, expectedVersion: int4, reason });

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
        expectedEpoch: int4,
        expiresAt: z.iso
          .datetime({ offset: true })
          .transform(text => new Date(text))
          .nullish(),
        reason,
      }),
    )
    .mutation(
      once(({ ctx, input }) =>
        ctx.services.orders.changeSplitPlan(ctx.audit, { ...input, expiresAt: input.expiresAt ?? null }),
      ),
    ),

  /** Open orders, orders on their way, and why the symbol can't be delisted now; changes nothing. */
  pending: actionProcedure("symbol.view")
    .input(z.object({ symbol }))
    .query(({ ctx, input }) => ctx.services.orders.pendingOrders(input.symbol)),

  /** Lists a symbol, or lists a delisted one again with the same decimals. */
  add: actionProcedure("symbol.add")
    .input(z.object({ symbol, priceDecimals: decimals, quantityDecimals: decimals, reason }))
    .mutation(once(({ ctx, input }) => ctx.services.orders.addSymbol(ctx.audit, input))),

  /** Refuses new orders with this reason; cancels are accepted, and orders on their way are matched. */
  halt: actionProcedure("symbol.halt")
    .input(listingInput)
    .mutation(once(({ ctx, input }) => ctx.services.orders.changeListing(ctx.audit, "halt", input))),

  resume: actionProcedure("symbol.resume")
    .input(listingInput)
    .mutation(once(({ ctx, input }) => ctx.services.orders.changeListing(ctx.audit, "resume", input))),

  /** Only while the symbol is halted, and nothing of it is open or on its way. */
  delist: actionProcedure("symbol.delist")
    .input(listingInput)
    .mutation(once(({ ctx, input }) => ctx.services.orders.delistSymbol(ctx.audit, input))),

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
    .mutation(once(({ ctx, input }) => ctx.services.orders.dismissSuggestion(ctx.audit, input))),

  /** Turns automatic mode on or off and sets its bounds. `expectedVersion`: the version that the caller saw. */
  setAutomatic: actionProcedure("symbol.setAutomatic")
    .input(
      z.object({
        symbol,
        on: z.boolean(),
        reason,
        expectedVersion: int4,
        maxFactor: between(AUTOMATIC_RANGES.maxFactor),
        minHotSeconds: between(AUTOMATIC_RANGES.minHotSeconds),
        maxChangesPerHour: between(AUTOMATIC_RANGES.maxChangesPerHour),
      }),
    )
    .mutation(
      once(async ({ ctx, input }) => {
        await ctx.services.orders.setAutomaticMode(ctx.audit, input);
        return { ok: true as const };
      }),
    ),
});
