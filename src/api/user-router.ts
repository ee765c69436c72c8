import { z } from "zod";
import { ROLES } from "../domain/access/permissions";
import { listUsers } from "../services/access/list-users";
import { revokeSessions } from "../services/access/revoke-sessions";
import { setUserDisabled } from "../services/access/set-user-disabled";
import { setUserRole } from "../services/access/set-user-role";
import { once } from "./once";
import { int4, isShallow, page, reason, search, TOO_DEEP } from "./staff-input";
import { actionProcedure, router } from "./trpc";

const id = z.guid();

export const userRouter = router({
  list: actionProcedure("user.view")
    .input(
      z
        .object({
          search,
          role: z.enum(ROLES).optional(),
          status: z.enum(["active", "disabled"]).optional(),
          sort: z.enum(["createdAt", "username", "role"]).default("createdAt"),
          order: z.enum(["asc", "desc"]).default("desc"),
          ...page,
        })
        .refine(isShallow, TOO_DEEP),
    )
    .query(({ ctx, input }) => listUsers(ctx.services.prisma, input)),

  setRole: actionProcedure("user.setRole")
    .input(z.object({ id, role: z.enum(ROLES), reason, version: int4 }))
    .mutation(
      once(async ({ ctx, input }) => {
        await setUserRole(ctx.services.prisma, ctx.audit, input);
        return { ok: true as const };
      }),
    ),

  setDisabled: actionProcedure("user.disable")
    .input(z.object({ id, disabled: z.boolean(), reason, version: int4 }))
    .mutation(
      once(async ({ ctx, input }) => {
        await setUserDisabled(ctx.services.prisma, ctx.audit, input);
        return { ok: true as const };
      }),
    ),

  revokeSessions: actionProcedure("user.revokeSessions")
    .input(z.object({ id, reason }))
    .mutation(
      once(async ({ ctx, input }) => {
        await revokeSessions(ctx.services.prisma, ctx.audit, input);
        return { ok: true as const };
      }),
    ),
});
