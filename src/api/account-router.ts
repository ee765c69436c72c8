import { z } from "zod";
import { emailSchema, passwordSchema } from "../domain/access/credentials";
import { limitedProcedure, router } from "./trpc";

export const accountRouter = router({
  /** Makes an account and signs its browser in. */
  signUp: limitedProcedure("signUp")
    .input(z.object({ username: z.string().max(512), email: emailSchema, password: passwordSchema }))
    .mutation(async ({ ctx, input }) => {
      const { userId, username } = await ctx.services.signUp(input);
      // The account stands. Without a session the person signs in by hand.
      const cookies = await ctx.services.openSession(userId, ctx.head).catch((err: unknown) => {
        ctx.log.error({ err }, "no session could be opened after a signup");
        return [];
      });
      ctx.setCookies(cookies);
      return { username, signedIn: cookies.length > 0 };
    }),

  /** Who is signed in, by the session's row in the database; null for nobody. */
  me: limitedProcedure("session").query(async ({ ctx }) => {
    const user = await ctx.user();
    return user && { username: user.username, email: user.email, createdAt: user.createdAt.toISOString() };
  }),

  /** Ends the session of this browser. */
  signOut: limitedProcedure("session").mutation(async ({ ctx }) => {
    ctx.setCookies(await ctx.services.closeSession(ctx.head));
    return { ok: true };
  }),
});
