import { z } from "zod";
import { emailSchema, passwordSchema } from "../domain/access/credentials";
import { showEmail } from "../services/access/show-email";
import { readIdempotencyKey } from "./once";
import { limitedProcedure, router } from "./trpc";

export const accountRouter = router({
  /** Creates an account and signs the browser in; so does its repeat, with or without an idempotency key. */
  signUp: limitedProcedure("signUp")
    .input(z.object({ username: z.string().max(512), email: emailSchema, password: passwordSchema }))
    .mutation(async ({ ctx, input }) => {
      const idempotencyKey = readIdempotencyKey(ctx.head.idempotencyKey);
      const { userId, username } = await ctx.services.signUp({ ...input, idempotencyKey });
      // The account exists. Without a session the user signs in on the sign-in page.
      const cookies = await ctx.services.openSession(userId, ctx.head).catch((err: unknown) => {
        ctx.log.error({ err }, "session not opened after sign-up");
        return [];
      });
      ctx.setCookies(cookies);
      return { username, signedIn: cookies.length > 0 };
    }),

  /** The signed-in user, read from the session's row in the database; null without a session. */
  me: limitedProcedure("session").query(async ({ ctx }) => {
    const user = await ctx.user();
    if (!user) return null;
    const { username, email, createdAt } = user;
    return { username, email: showEmail(email), createdAt: createdAt.toISOString() };
  }),

  /** Ends the session of this browser. */
  signOut: limitedProcedure("session").mutation(async ({ ctx }) => {
    ctx.setCookies(await ctx.services.closeSession(ctx.head));
    return { ok: true };
  }),
});
