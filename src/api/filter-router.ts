import { z } from "zod";
import { once } from "./once";
import { reason } from "./staff-input";
import { actionProcedure, router } from "./trpc";

const version = z.number().int().min(1).max(2_147_483_647);
const revision = z.number().int().min(0);
const percent = z.number().min(0).max(100);
const request = {
  capacity: z
    .number()
    .int()
    .min(1_000, "A filter is made for 1,000 names at least.")
    .max(200_000_000_000, "RedisBloom takes at most 200,000,000,000 names in 256 shards."),
  errorRate: z
    .number()
    .min(1e-6, "Choose an error rate of 0.000001 at least.")
    .max(0.25, "Choose an error rate of 0.25 at most."),
  engine: z.enum(["redisbloom", "bitmap"]).optional(),
};

export const filterRouter = router({
  /** All versions with their gates, the version of each reader, and the revision for decisions. */
  status: actionProcedure("filter.view").query(({ ctx }) => ctx.services.filter.status()),

  /** The 256 shards of one version. */
  map: actionProcedure("filter.view")
    .input(z.object({ version }))
    .query(({ ctx, input }) => ctx.services.filter.map(input.version)),

  /** The memory and time that a rebuild would need; changes nothing. */
  plan: actionProcedure("filter.view")
    .input(z.object(request))
    .query(({ ctx, input }) => ctx.services.filter.plan(input)),

  rebuild: actionProcedure("filter.rebuild")
    .input(z.object({ ...request, confirmUnknownRoom: z.boolean().optional(), reason }))
    .mutation(once(({ ctx, input }) => ctx.services.filter.rebuild(ctx.audit, input))),

  cancel: actionProcedure("filter.cancel")
    .input(z.object({ version, reason }))
    .mutation(
      once(async ({ ctx, input }) => {
        await ctx.services.filter.cancel(ctx.audit, input);
        return { ok: true as const };
      }),
    ),

  verify: actionProcedure("filter.verify")
    .input(z.object({ version, scope: z.enum(["sample", "every-row"]), reason }))
    .mutation(
      once(async ({ ctx, input }) => {
        await ctx.services.filter.verify(ctx.audit, input);
        return { ok: true as const };
      }),
    ),

  setTraffic: actionProcedure("filter.setTraffic")
    .input(z.object({ version, shadowPercent: percent, canaryPercent: percent, revision, reason }))
    .mutation(
      once(async ({ ctx, input }) => {
        await ctx.services.filter.setTraffic(ctx.audit, input);
        return { ok: true as const };
      }),
    ),

  promote: actionProcedure("filter.promote")
    .input(z.object({ version, revision, waive: z.array(z.enum(["shadow"])).max(1), reason }))
    .mutation(once(({ ctx, input }) => ctx.services.filter.promote(ctx.audit, input))),

  /** `minutes`: how long the promotion waits for the gates; null disarms it. */
  arm: actionProcedure("filter.arm")
    .input(z.object({ version, minutes: z.number().int().min(1).max(1_440).nullable(), revision, reason }))
    .mutation(once(({ ctx, input }) => ctx.services.filter.arm(ctx.audit, input))),

  rollback: actionProcedure("filter.rollback")
    .input(z.object({ revision, reason }))
    .mutation(once(({ ctx, input }) => ctx.services.filter.rollback(ctx.audit, input))),

  retire: actionProcedure("filter.retire")
    .input(z.object({ version, revision, reason }))
    .mutation(
      once(async ({ ctx, input }) => {
        await ctx.services.filter.retire(ctx.audit, input);
        return { ok: true as const };
      }),
    ),

  schedule: actionProcedure("filter.schedule")
    .input(z.object({ everyHours: z.number().int().min(1).max(8_760).nullable(), reason }))
    .mutation(
      once(async ({ ctx, input }) => {
        await ctx.services.filter.schedule(ctx.audit, input);
        return { ok: true as const };
      }),
    ),
});
