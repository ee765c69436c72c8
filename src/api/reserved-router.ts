import { z } from "zod";
import { isShallow, line, page, reason, search, TOO_DEEP } from "./staff-input";
import { actionProcedure, router } from "./trpc";

const kind = z.enum(["exact", "contains", "skeleton"]);
const pattern = line(64);

export const reservedRouter = router({
  list: actionProcedure("reserved.view")
    .input(z.object({ search, kind: kind.optional(), ...page }).refine(isShallow, TOO_DEEP))
    .query(({ ctx, input }) => ctx.services.staff.listReservedWords(input)),

  /** `reason` is what people are told who want the name. */
  add: actionProcedure("reserved.edit")
    .input(z.object({ pattern, kind, reason }))
    .mutation(async ({ ctx, input }) => ({ id: await ctx.services.staff.addReservedWord(ctx.audit, input) })),

  remove: actionProcedure("reserved.edit")
    .input(z.object({ id: z.guid(), reason }))
    .mutation(async ({ ctx, input }) => {
      await ctx.services.staff.removeReservedWord(ctx.audit, input);
      return { ok: true as const };
    }),

  /** How many users who exist would have been kept out. Changes nothing, but names people: not for viewers. */
  dryRun: actionProcedure("reserved.edit")
    .input(z.object({ pattern, kind }))
    .query(({ ctx, input }) => ctx.services.staff.dryRunReservedWord(input)),
});
