import { betterAuth } from "better-auth";
import { prismaAdapter } from "better-auth/adapters/prisma";
import { APIError } from "better-auth/api";
import { genericOAuth, username } from "better-auth/plugins";
import { MAX_RAW_PASSWORD_UNITS } from "../../domain/access/password";
import { usernameKey } from "../../domain/username/username-policy";
import { TimedSlots, TooManyWaiting } from "../../runtime/timed-slots";
import type { PrismaClient } from "../../store/postgres";
import { CLIENT_ADDRESS_HEADER } from "./auth-headers";
import { hashLikeVerify, verifyPassword } from "./hash-password";
import { openSession } from "./open-session";
import { emailKey, signInByEmail } from "./sign-in-by-email";
import { type SignInWatch, watchSignIn } from "./watch-sign-in";

export type AuthSettings = {
  /** The public origin, such as https://example.com; decides the cookies' Secure flag. */
  publicUrl: string;
  secret: string;
  watch: SignInWatch;
  oidc?: OidcProvider | null;
};

/** Our registration as a client at the provider. */
export type OidcProvider = { discoveryUrl: string; clientId: string; clientSecret: string };
export const OIDC_PROVIDER_ID = "oidc";

const SESSION_SECONDS = 7 * 24 * 60 * 60;
const SIGN_IN_PAGE = "/console/sign-in";

/**
 * better-auth over our own user table. Only sign-up and `npm run user` create accounts, so its public
 * sign-up stays off; server/mount-auth.ts lists its reachable paths.
 */
export function createAuth(prisma: PrismaClient, settings: AuthSettings) {
  const { publicUrl, secret, oidc, watch } = settings;
  return betterAuth({
    appName: "Floodgate",
    baseURL: new URL(publicUrl).origin,
    basePath: "/api/auth",
    secret,
    database: prismaAdapter(prisma, { provider: "postgresql", transaction: true }),
    user: {
      additionalFields: {
        usernameSkeleton: { type: "string", required: true, input: false, returned: false },
        policyVersion: { type: "number", required: true, input: false, returned: false },
        role: { type: "string", required: true, input: false, defaultValue: "member" },
        disabledAt: { type: "date", required: false, input: false },
      },
    },
    emailAndPassword: {
      enabled: true,
      disableSignUp: true,
      // Of the text as typed. Sign-up keeps the bounds of the normal form.
      maxPasswordLength: MAX_RAW_PASSWORD_UNITS,
      // The library also hashes for an unknown user: both take the same time.
      password: {
        hash: password => hashing(() => hashLikeVerify(password)),
        verify: ({ hash, password }) => hashing(() => verifyPassword(hash, password)),
      },
    },
    // No cookie cache: a revoked session must end with the next request.
    session: { expiresIn: SESSION_SECONDS },
    account: { accountLinking: { enabled: true }, encryptOAuthTokens: true },
    databaseHooks: { session: { create: { before: session => refuseDisabled(prisma, session.userId) } } },
    hooks: watchSignIn(prisma, watch),
    plugins: [
      username({
        // Never throws: text that can't be a username finds no user.
        usernameNormalization: raw => usernameKey(raw) ?? "",
        usernameValidator: () => true,
        minUsernameLength: 1,
        maxUsernameLength: 512,
        immutableUsername: true,
        schema: { user: { fields: { username: "usernameKey", displayUsername: "username" } } },
      }),
      signInByEmail(),
      openSession(),
      ...(oidc ? [genericOAuth({ config: [toOidcConfig(oidc)] })] : []),
    ],
    onAPIError: {
      errorURL: `${new URL(publicUrl).origin}${SIGN_IN_PAGE}`,
      // server/mount-auth.ts answers; by default the library prints errors to the console.
      throw: true,
    },
    // See server/rate-limits.ts: per address and per account, over all servers.
    rateLimit: { enabled: false },
    telemetry: { enabled: false },
    logger: {
      level: "error",
      disableColors: true,
      log: (_level, message, ...details) => watch.onError(details[0] ?? message),
    },
    advanced: {
      cookiePrefix: "floodgate",
      database: { generateId: "uuid" },
      ipAddress: { ipAddressHeaders: [CLIENT_ADDRESS_HEADER] },
      // Explicit, since better-auth turns both off when NODE_ENV is "test".
      disableOriginCheck: false,
      disableCSRFCheck: false,
    },
  });
}

export type Auth = ReturnType<typeof createAuth>;

/** A sign-in needs an existing account with the provider's verified e-mail address. */
function toOidcConfig(oidc: OidcProvider) {
  return {
    ...oidc,
    providerId: OIDC_PROVIDER_ID,
    scopes: ["openid", "email", "profile"],
    mapProfileToUser: ({ email }: Record<string, unknown>) =>
      typeof email === "string" ? { email: emailKey(email) } : {},
    pkce: true,
    disableSignUp: true,
    requireIdTokenVerification: true,
  };
}

/** Hashing takes 19 MiB and a thread: a flood of sign-ins waits for so long at most, or is refused. */
const MAX_WAIT_MS = 3_000;
const hashSlots = new TimedSlots({ slots: 4, maxWaitMs: MAX_WAIT_MS });

async function hashing<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await hashSlots.run(work);
  } catch (error) {
    if (!(error instanceof TooManyWaiting)) throw error;
    throw new APIError("SERVICE_UNAVAILABLE", {
      code: "BUSY",
      message: "Too many people are signing in at once. Please try again in a moment.",
    });
  }
}

/** Runs after the password check, so only the account's owner learns that it is disabled. */
async function refuseDisabled(prisma: PrismaClient, userId: string): Promise<void> {
  const user = await prisma.user.findUnique({ where: { id: userId }, select: { disabledAt: true } });
  if (!user?.disabledAt) return;
  throw new APIError("FORBIDDEN", { code: "ACCOUNT_DISABLED", message: "This account is disabled." });
}
