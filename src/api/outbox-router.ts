import { z } from "zod";
import { once } from "./once";
import { isShallow, page, reason, TOO_DEEP } from "./staff-input";
import { actionProcedure, router } from "./trpc";

const seq = z.string().regex(/^\d{1,18}$/, "This is not the number of an event.");

export const outboxRouter = router({
  /** The backlog, its age, and the relays that deliver it. */
  status: actionProcedure("outbox.view").query(({ ctx }) => ctx.services.gate.outboxStatus()),

  deadLetters: actionProcedure("outbox.view")
    .input(z.object(page).refine(isShallow, TOO_DEEP))
    .query(async ({ ctx, input }) => {
      const { rows, total } = await ctx.services.gate.deadLetters(input);
      const shown = rows.map(row => ({
        ...row,
        createdAt: row.createdAt.toISOString(),
        deadAt: row.deadAt.toISOString(),
      }));
      return { rows: shown, total };
    }),

  replay: actionProcedure("outbox.replay")
    .input(z.object({ seqs: z.array(seq).min(1).max(1_000), reason }))
    .mutation(once(({ ctx, input }) => ctx.services.gate.replayDeadLetters(ctx.audit, input))),
});
