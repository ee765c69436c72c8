import { z } from "zod";
import { actionProcedure, router } from "./trpc";

const toText = <T extends { createdAt: Date }>(row: T | null) =>
  row && { ...row, createdAt: row.createdAt.toISOString() };

export const nameRouter = router({
  /** The state of one name in every part of the gate. Takes any text as the name. */
  trace: actionProcedure("name.trace")
    .input(z.object({ name: z.string().max(512) }))
    .query(async ({ ctx, input }) => {
      const trace = await ctx.services.gate.traceName(input.name);
      return {
        ...trace,
        database: { byKey: toText(trace.database.byKey), bySkeleton: toText(trace.database.bySkeleton) },
        outbox: trace.outbox.map(event => toText(event)!),
      };
    }),
});
