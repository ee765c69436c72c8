import { z } from "zod";
import { ACTION_NAMES } from "../domain/access/permissions";
import { listSwitches } from "../services/access/list-switches";
import { setActionSwitch } from "../services/access/set-action-switch";
import { once } from "./once";
import { reason } from "./staff-input";
import { actionProcedure, router } from "./trpc";

export const switchRouter = router({
  list: actionProcedure("switch.view").query(({ ctx }) => listSwitches(ctx.services.prisma)),

  set: actionProcedure("switch.set")
    .input(z.object({ action: z.enum(ACTION_NAMES), off: z.boolean(), reason }))
    .mutation(
      once(async ({ ctx, input }) => {
        await setActionSwitch(ctx.services.prisma, ctx.audit, input);
        return { ok: true as const };
      }),
    ),
});
