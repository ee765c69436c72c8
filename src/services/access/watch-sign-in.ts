import { createHash } from "node:crypto";
import { APIError, createAuthMiddleware, getSessionFromCtx, isAPIError } from "better-auth/api";
import { usernameKey } from "../../domain/username/username-policy";
import type { PrismaClient } from "../../store/postgres";
import { type AuditActor, type AuditContext, writeAudit } from "../audit/write-audit";
import { CLIENT_ADDRESS_HEADER, REQUEST_ID_HEADER } from "./auth-headers";
import { emailKey } from "./sign-in-by-email";

export type SignInWatch = {
  /** Counts one attempt; resolves to the milliseconds to wait when a quota is used up, else 0. */
  charge(attempt: { address: string; account: string }): Promise<number>;
  /** Writes an audit row, rate-limited like every refusal. Never rejects. */
  recordRefusal(
    audit: AuditContext,
    note: { target: string | null; reason: string; outcome: "refused" },
  ): Promise<void>;
  /** Called with faults, such as an audit row that could not be written. */
  onError(error: unknown): void;
};

const PASSWORD_PATHS = ["/sign-in/username", "/sign-in/email"];
const isSignIn = (path: string) => PASSWORD_PATHS.includes(path) || path.startsWith("/callback/");

/** Hooks of better-auth: quotas before a sign-in, audit rows after a sign-in and at a sign-out. */
export function watchSignIn(prisma: PrismaClient, watch: SignInWatch) {
  const write = (actor: AuditActor, ctx: HookContext, note: { action: string; target: string }) =>
    writeAudit(prisma, { ...auditContextOf(ctx, note.action), actor }, { target: note.target }).catch(
      watch.onError,
    );

  return {
    before: createAuthMiddleware(async ctx => {
      if (ctx.path === "/sign-out") {
        const session = await getSessionFromCtx(ctx).catch(() => null);
        const actor = session && toAuditActor(session.user);
        if (actor) await write(actor, ctx, { action: "session.signOut", target: `user:${actor.name}` });
        return;
      }
      if (!PASSWORD_PATHS.includes(ctx.path)) return;
      const address = ctx.headers?.get(CLIENT_ADDRESS_HEADER) ?? "unknown";
      const named = nameOf(ctx);
      const waitMs = await watch.charge({ address, account: accountKey(named) });
      if (waitMs === 0) return;
      const seconds = Math.ceil(waitMs / 1_000);
      const message = `Too many sign-in attempts. Try again in ${seconds} s.`;
      await watch.recordRefusal(auditContextOf(ctx, "session.signIn"), {
        target: targetOf(named),
        reason: "Too many tries.",
        outcome: "refused",
      });
      throw new APIError(
        "TOO_MANY_REQUESTS",
        { code: "RATE_LIMITED", message, retryAfterMs: waitMs },
        { "retry-after": String(seconds) },
      );
    }),

    after: createAuthMiddleware(async ctx => {
      if (!isSignIn(ctx.path)) return;
      const { newSession, returned } = ctx.context;
      const actor = newSession && toAuditActor(newSession.user);
      if (actor) return write(actor, ctx, { action: "session.signIn", target: `user:${actor.name}` });
      if (!isAPIError(returned)) return;
      // The callback throws its redirect; the query of the redirect names the error.
      const location = new Headers(returned.headers).get("location") ?? "";
      const message = returned.body?.message ?? new URL(location, "http://x").searchParams.get("error");
      await watch.recordRefusal(auditContextOf(ctx, "session.signIn"), {
        target: targetOf(nameOf(ctx)),
        reason: (message ?? "The sign-in did not succeed.").slice(0, 500),
        outcome: "refused",
      });
    }),
  };
}

type HookContext = { headers?: Headers | undefined };

function auditContextOf(ctx: HookContext, action: string): AuditContext {
  return {
    actor: { kind: "anonymous", id: null, name: "anonymous", role: null },
    action,
    requestId: ctx.headers?.get(REQUEST_ID_HEADER) ?? null,
    address: ctx.headers?.get(CLIENT_ADDRESS_HEADER) ?? null,
  };
}

function toAuditActor(user: Record<string, unknown>): AuditActor {
  const { id, displayUsername, role } = user;
  return { kind: "user", id: String(id), name: String(displayUsername), role: String(role) };
}

/** By the field that the path looks the account up with, whatever else the body has. */
function nameOf({ path, body }: { path: string; body?: unknown }): string {
  const { username, email } = (body ?? {}) as { username?: unknown; email?: unknown };
  const named = path === "/sign-in/email" ? email : username;
  return (typeof named === "string" ? named : "").slice(0, 512);
}

/** One key for all spellings of one account; hashed, since the text may be of any length. */
function accountKey(named: string): string {
  const folded = usernameKey(named) ?? emailKey(named);
  return createHash("sha256").update(folded).digest("base64url");
}

/** The name as it was typed, without control characters. */
function targetOf(named: string): string {
  return `user:${named
    .toWellFormed()
    .replace(/\p{Control}/gu, "\ufffd")
    .slice(0, 100)}`;
}
