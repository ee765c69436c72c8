import { ACTION_NAMES, type Action } from "../domain/access/permissions";
import { readOffSwitches } from "../services/access/list-switches";
import { decideFor } from "../services/access/read-actor";
import { showEmail } from "../services/access/show-email";
import { limitedProcedure, publicProcedure, router } from "./trpc";

type Can = Record<Action, { allowed: boolean; reason?: string }>;

export const sessionRouter = router({
  /** The sign-in methods besides a password. */
  signInMethods: publicProcedure.query(({ ctx }) => ({ singleSignOn: ctx.services.singleSignOn() })),

  /** The caller and the actions that it may do: the console enables its buttons by this. */
  me: limitedProcedure("session").query(async ({ ctx }) => {
    const actor = await ctx.actor();
    const user = actor?.kind === "user" ? await ctx.user() : null;
    const off = await readOffSwitches(ctx.services.prisma);
    const entries = ACTION_NAMES.map(action => [
      action,
      actor ? decideFor(actor, action, off) : { allowed: false, reason: "Please sign in." },
    ]);
    return {
      user: user && { id: user.id, username: user.username, email: showEmail(user.email), role: user.role },
      can: Object.fromEntries(entries) as Can,
    };
  }),
});
