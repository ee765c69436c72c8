import { getTRPCErrorFromUnknown, TRPCError } from "@trpc/server";
import { ZodError } from "zod";
import { ACTIONS, type Action } from "../domain/access/permissions";
import { AppError } from "../domain/app-error";
import { readOffSwitches } from "../services/access/list-switches";
import { type Actor, carriesToken, decideFor } from "../services/access/read-actor";
import { describeAttempt } from "../services/audit/describe-attempt";
import type { AuditContext } from "../services/audit/write-audit";
import { isOutcomeUnknown, isPassing, retryRollbacks, sqlStateOf } from "../store/database-error";
import { NotOwnerError } from "../store/owner-guard";
import type { Context, RateLimits } from "./context";
import { TRPC_CODES } from "./error-shape";

export type Guard = {
  path: string;
  /** The quota that each call is charged to, also in a batch. */
  limit?: keyof RateLimits;
};

/**
 * Runs a procedure with its quota and error mapping; tRPC's middleware and the fast path both call it.
 * @throws TRPCError, never anything else
 */
export function guard<T>(ctx: Context, { path, limit }: Guard, run: () => Promise<T>): Promise<T> {
  return mappingErrors(ctx, path, async () => {
    if (limit) await charge(ctx, limit);
    return retryRollbacks(run);
  });
}

export type ActionGuard = {
  path: string;
  action: Action;
  /** The input as it was sent, not yet validated. */
  rawInput: () => Promise<unknown>;
};

/** Who calls, and what the audit row of the call says of it. */
export type Caller = { actor: Actor; audit: AuditContext };

/**
 * The guard of staff actions: checks caller, permission and kill switch before the input is validated.
 * Refusals are audited, and so are changes that fail.
 * @throws TRPCError: 401 without a valid session or token, 403 without the permission
 */
export function guardAction<T>(
  ctx: Context,
  { path, action, rawInput }: ActionGuard,
  run: (caller: Caller) => Promise<T>,
): Promise<T> {
  return mappingErrors(ctx, path, async () => {
    const caller = await authorise(ctx, { path, action });
    const work = retryRollbacks(() => run(caller));
    if (!ACTIONS[action].mutates) return work;
    try {
      return await work;
    } catch (thrown) {
      await recordFailure(ctx, { audit: caller.audit, path, rawInput }, getTRPCErrorFromUnknown(thrown));
      throw thrown;
    }
  });
}

async function authorise(ctx: Context, { path, action }: { path: string; action: Action }): Promise<Caller> {
  const { requestId, head, services } = ctx;
  const actor = await ctx.actor();
  const request = { action, requestId, address: head.clientAddress };
  if (!actor) {
    const anonymous = { kind: "anonymous" as const, id: null, name: "anonymous", role: null };
    const reason = carriesToken(head.authorization) ? "This token is not valid." : "Please sign in.";
    await services.refusals.record(
      { actor: anonymous, ...request },
      { target: path, reason, outcome: "refused" },
    );
    throw new AppError("UNAUTHENTICATED", reason);
  }
  const { kind, id, name, role } = actor;
  const audit: AuditContext = { actor: { kind, id, name, role }, ...request };
  const off = ACTIONS[action].mutates ? await readOffSwitches(services.prisma) : new Set<Action>();
  const decision = decideFor(actor, action, off);
  if (decision.allowed) return { actor, audit };
  await services.refusals.record(audit, { target: path, reason: decision.reason, outcome: "refused" });
  throw new AppError("FORBIDDEN", decision.reason);
}

/** Audits a failed change with the target and reason of the change, and the error. Invalid input is not audited. */
async function recordFailure(
  { services }: Context,
  { audit, path, rawInput }: { audit: AuditContext; path: string; rawInput: ActionGuard["rawInput"] },
  { cause }: TRPCError,
): Promise<void> {
  if (cause instanceof ZodError) return;
  // A flood of orders gets these many times a second.
  if (cause instanceof AppError && (cause.code === "BUSY" || cause.code === "RATE_LIMITED")) return;
  const isOurs = cause instanceof AppError && cause.code !== "INTERNAL";
  const outcome = isOurs && cause.code === "FORBIDDEN" ? "refused" : "failed";
  const unknown = isPassing(cause) ? "The database was busy" : "Internal error";
  const error = isOurs ? cause.message : unknown;
  const { target, reason } = await describeAttempt(services.prisma, path, await rawInput().catch(() => null));
  await services.refusals.record(audit, {
    target: target ?? path,
    reason,
    outcome,
    after: { procedure: path, error },
  });
}

async function charge(ctx: Context, limit: keyof RateLimits): Promise<void> {
  const retryAfterMs = await ctx.limits[limit](ctx.head.clientAddress);
  if (retryAfterMs === 0) return;
  const seconds = Math.ceil(retryAfterMs / 1_000);
  throw new AppError("RATE_LIMITED", `Too many requests. Please try again in ${seconds} s.`, {
    retryAfterMs,
  });
}

async function mappingErrors<T>(ctx: Context, path: string, run: () => Promise<T>): Promise<T> {
  try {
    return await run();
  } catch (thrown) {
    throw mapError(getTRPCErrorFromUnknown(thrown), { ctx, path });
  }
}

/** Maps errors of services to errors of the API; unknown errors are logged with their cause. */
function mapError(error: TRPCError, { ctx, path }: { ctx: Context; path: string }): TRPCError {
  const { cause } = error;
  const { requestId } = ctx;
  if (cause instanceof AppError) {
    if (cause.code === "INTERNAL") ctx.log.error({ err: cause, path, requestId }, "request failed");
    return fromAppError(cause);
  }
  if (isPassing(cause)) {
    ctx.services.noteDatabaseTrouble(cause);
    ctx.log.warn({ err: cause, sqlState: sqlStateOf(cause), path, requestId }, "database can't do it now");
    return fromAppError(busyAfter(cause));
  }
  if (cause instanceof NotOwnerError) {
    ctx.log.error({ err: cause, path, requestId }, "redis not owned; nothing written");
    const message = "Floodgate can't do this now. Health says what its operators have to do.";
    return fromAppError(new AppError("BUSY", message, { retryAfterMs: 5_000 }));
  }
  if (error.code === "INTERNAL_SERVER_ERROR") {
    ctx.log.error({ err: cause ?? error, path, requestId }, "request failed");
  }
  return error;
}

function busyAfter(cause: unknown): AppError {
  const retryAfterMs = 2_000;
  if (!isOutcomeUnknown(cause))
    return new AppError("BUSY", "We are very busy. Please try again in a moment.", { retryAfterMs });
  const message =
    "The database gave no answer: it is unknown whether this was done. Send the same request again, with the same idempotency key.";
  return new AppError("BUSY", message, { retryAfterMs, outcome: "unknown" });
}

function fromAppError(cause: AppError): TRPCError {
  return new TRPCError({ code: TRPC_CODES[cause.code], message: cause.message, cause });
}
