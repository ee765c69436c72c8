import { z } from "zod";
import { actionProcedure, router } from "./trpc";

const toText = <T extends { createdAt: Date }>(row: T | null) =>
  row && { ...row, createdAt: row.createdAt.toISOString() };

export const nameRouter = router({
  /** Everything the gate knows about one name. Takes whatever a person may have typed. */
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
