import { z } from "zod";
import { ROLES } from "../domain/access/permissions";
import { isShallow, page, reason, search, TOO_DEEP } from "./staff-input";
import { actionProcedure, router } from "./trpc";

const id = z.guid();
/** The one the person saw; a stale one is a CONFLICT. */
const version = z.number().int().min(0).max(2_147_483_647);

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
    .query(({ ctx, input }) => ctx.services.staff.listUsers(input)),

  setRole: actionProcedure("user.setRole")
    .input(z.object({ id, role: z.enum(ROLES), reason, version }))
    .mutation(async ({ ctx, input }) => {
      await ctx.services.staff.setUserRole(ctx.audit, input);
      return { ok: true as const };
    }),

  setDisabled: actionProcedure("user.disable")
    .input(z.object({ id, disabled: z.boolean(), reason, version }))
    .mutation(async ({ ctx, input }) => {
      await ctx.services.staff.setUserDisabled(ctx.audit, input);
      return { ok: true as const };
    }),

  revokeSessions: actionProcedure("user.revokeSessions")
    .input(z.object({ id, reason }))
    .mutation(async ({ ctx, input }) => {
      await ctx.services.staff.revokeSessions(ctx.audit, input);
      return { ok: true as const };
    }),
});
