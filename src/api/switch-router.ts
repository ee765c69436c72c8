import { z } from "zod";
import { ACTION_NAMES } from "../domain/access/permissions";
import { reason } from "./staff-input";
import { actionProcedure, router } from "./trpc";

export const switchRouter = router({
  list: actionProcedure("switch.view").query(({ ctx }) => ctx.services.staff.listSwitches()),

  set: actionProcedure("switch.set")
    .input(z.object({ action: z.enum(ACTION_NAMES), off: z.boolean(), reason }))
    .mutation(async ({ ctx, input }) => {
      await ctx.services.staff.setActionSwitch(ctx.audit, input);
      return { ok: true as const };
    }),
});
