import { betterAuth } from "better-auth";
import { prismaAdapter } from "better-auth/adapters/prisma";
import { createAuthEndpoint } from "better-auth/api";
import { setSessionCookie } from "better-auth/cookies";
import { z } from "zod";
import type { PrismaClient } from "../store/postgres";

export type AuthSettings = {
  /** The origin people type, such as https://example.com; decides the cookies' Secure flag. */
  publicUrl: string;
  secret: string;
};

const SESSION_SECONDS = 7 * 24 * 60 * 60;

/**
 * better-auth over our own user table. Accounts are made by sign-up alone, so its public sign-up
 * stays off; nothing of it is mounted over HTTP.
 */
export function createAuth(prisma: PrismaClient, settings: AuthSettings) {
  return betterAuth({
    appName: "Floodgate",
    baseURL: settings.publicUrl,
    secret: settings.secret,
    database: prismaAdapter(prisma, { provider: "postgresql", transaction: true }),
    user: {
      additionalFields: {
        username: { type: "string", required: true, input: false },
        usernameKey: { type: "string", required: true, input: false },
        usernameSkeleton: { type: "string", required: true, input: false, returned: false },
        policyVersion: { type: "number", required: true, input: false, returned: false },
      },
    },
    emailAndPassword: { enabled: true, disableSignUp: true },
    session: { expiresIn: SESSION_SECONDS },
    plugins: [openSession()],
    telemetry: { enabled: false },
    logger: { disabled: true },
    advanced: {
      cookiePrefix: "floodgate",
      database: { generateId: "uuid" },
      ipAddress: { ipAddressHeaders: [CLIENT_ADDRESS_HEADER] },
      // Stated, since better-auth switches both off by itself when NODE_ENV is "test".
      disableOriginCheck: false,
      disableCSRFCheck: false,
    },
  });
}

/** Our server sets this header itself: forwarding headers of clients are not to be believed. */
export const CLIENT_ADDRESS_HEADER = "x-floodgate-client";

export type Auth = ReturnType<typeof createAuth>;

/** Opens a session for a user whose rows sign-up has just written. Not reachable over HTTP. */
function openSession() {
  return {
    id: "open-session",
    endpoints: {
      openSession: createAuthEndpoint.serverOnly(
        { method: "POST", body: z.object({ userId: z.string() }) },
        async ctx => {
          const user = await ctx.context.internalAdapter.findUserById(ctx.body.userId);
          if (!user) throw ctx.error("NOT_FOUND");
          const session = await ctx.context.internalAdapter.createSession(user.id, false);
          await setSessionCookie(ctx, { session, user }, false);
          return { expiresAt: session.expiresAt };
        },
      ),
    },
  };
}
