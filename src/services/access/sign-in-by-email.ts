import { APIError, createAuthEndpoint } from "better-auth/api";
import { setSessionCookie } from "better-auth/cookies";
import { parseUserOutput } from "better-auth/db";
import { z } from "zod";
import { readEmail } from "../../domain/access/email";
import { MAX_RAW_PASSWORD_UNITS } from "../../domain/access/password";

/**
 * For looking an address up. `admin@localhost` is no address to sign up with, but a new installation has it. Postgres
 * can't compare U+0000.
 */
export function emailKey(raw: string): string {
  const verdict = readEmail(raw);
  return verdict.ok ? verdict.email : raw.trim().toLowerCase().replaceAll("\0", "\ufffd");
}

const refused = () =>
  new APIError("UNAUTHORIZED", {
    code: "INVALID_EMAIL_OR_PASSWORD",
    message: "Invalid email or password",
  });

/** Replaces better-auth's endpoint, which refuses addresses such as a&b@example.com before it looks for the user. */
export function signInByEmail() {
  return {
    id: "sign-in-by-email",
    endpoints: {
      signInEmail: createAuthEndpoint(
        "/sign-in/email",
        {
          method: "POST",
          body: z.object({ email: z.string().max(512), password: z.string().max(MAX_RAW_PASSWORD_UNITS) }),
        },
        async ctx => {
          const { password: hasher, internalAdapter, options } = ctx.context;
          const { email, password } = ctx.body;
          const found = await internalAdapter.findUserByEmail(emailKey(email), { includeAccounts: true });
          const hash = found?.accounts.find(one => one.providerId === "credential")?.password;
          if (!found || !hash) {
            // As slow as a wrong password.
            await hasher.hash(password);
            throw refused();
          }
          if (!(await hasher.verify({ hash, password }))) throw refused();
          const { user } = found;
          const session = await internalAdapter.createSession(user.id, false);
          await setSessionCookie(ctx, { session, user }, false);
          return ctx.json({ token: session.token, user: parseUserOutput(options, user) });
        },
      ),
    },
  };
}
