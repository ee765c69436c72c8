import { z } from "zod";
import { accountsProblem } from "../domain/access/account-binding";
import { ACTION_NAMES } from "../domain/access/permissions";
import { createToken, replaceSecret } from "../services/access/create-token";
import { listTokens } from "../services/access/list-tokens";
import { revokeToken } from "../services/access/revoke-token";
import { once } from "./once";
import { line, reason } from "./staff-input";
import { actionProcedure, router } from "./trpc";

const newToken = z
  .object({
    name: line(64),
    role: z.enum(["viewer", "trader", "operator", "admin"]).nullish(),
    scopes: z.array(z.enum(ACTION_NAMES)).max(ACTION_NAMES.length).default([]),
    /** Needed by the scope orders.submit. */
    accounts: z
      .array(z.string().max(100))
      .transform(accounts => [...new Set(accounts)])
      .superRefine((accounts, { addIssue }) => {
        const message = accountsProblem(accounts);
        if (message) addIssue({ code: "custom", message });
      })
      .default([]),
    expiresAt: z.iso
      .datetime({ offset: true })
      .transform(text => new Date(text))
      .nullish(),
  })
  .refine(({ role, scopes }) => Boolean(role) !== scopes.length > 0, {
    message: "Give the token either a role or scopes.",
    path: ["role"],
  });

export const tokenRouter = router({
  list: actionProcedure("token.view").query(async ({ ctx }) => ({
    rows: await listTokens(ctx.services.prisma),
  })),

  /** The only answer that contains the secret. Its repeat contains another one, and the first is not valid any more. */
  create: actionProcedure("token.manage")
    .input(newToken)
    .mutation(
      once(
        ({ ctx, input: { name, role, scopes, accounts, expiresAt } }) =>
          createToken(ctx.services.prisma, ctx.audit, {
            name,
            role: role ?? null,
            scopes: [...new Set(scopes)],
            accounts,
            expiresAt: expiresAt ?? null,
          }),
        ({ ctx, answer }) => replaceSecret(ctx.services.prisma, ctx.audit, (answer as { id: string }).id),
      ),
    ),

  revoke: actionProcedure("token.manage")
    .input(z.object({ id: z.guid(), reason }))
    .mutation(
      once(async ({ ctx, input }) => {
        await revokeToken(ctx.services.prisma, ctx.audit, input);
        return { ok: true as const };
      }),
    ),
});
