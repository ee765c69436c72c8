import { getTRPCErrorFromUnknown, TRPCError } from "@trpc/server";
import { ZodError } from "zod";
import { ACTIONS, type Action } from "../domain/access/permissions";
import { AppError } from "../domain/app-error";
import { readOffSwitches } from "../services/access/list-switches";
import { carriesToken, decideFor } from "../services/access/read-actor";
import { describeAttempt } from "../services/audit/describe-attempt";
import type { AuditContext } from "../services/audit/write-audit";
import { isDatabaseUnavailable } from "../store/unavailable";
import type { Context, RateLimits } from "./context";
import { TRPC_CODES } from "./error-shape";

export type Guard = {
  path: string;
  /** The quota that each call is charged to, also within a batch. */
  limit?: keyof RateLimits;
};

/**
 * What stands around every procedure, in one place: tRPC's middleware and the lean path both call it.
 * @throws TRPCError, never anything else
 */
export async function guard<T>(ctx: Context, { path, limit }: Guard, run: () => Promise<T>): Promise<T> {
  try {
    if (limit) await charge(ctx, limit);
    return await run();
  } catch (thrown) {
    throw mapError(getTRPCErrorFromUnknown(thrown), { ctx, path });
  }
}

export type ActionGuard = {
  path: string;
  action: Action;
  /** What was sent, before any schema has looked at it. */
  rawInput: () => Promise<unknown>;
};

/**
 * The guard of what staff do: who calls, may they, is it switched off. It stands in the procedure
 * itself, before the input is looked at; what it refuses is audited, and so is a change that fails.
 * @throws TRPCError: 401 for nobody, 403 for somebody who may not
 */
export function guardAction<T>(
  ctx: Context,
  { path, action, rawInput }: ActionGuard,
  run: (audit: AuditContext) => Promise<T>,
): Promise<T> {
  return guard(ctx, { path }, async () => {
    const audit = await authorise(ctx, { path, action });
    if (!ACTIONS[action].mutates) return run(audit);
    try {
      return await run(audit);
    } catch (thrown) {
      await recordFailure(ctx, { audit, path, rawInput }, getTRPCErrorFromUnknown(thrown));
      throw thrown;
    }
  });
}

async function authorise(
  ctx: Context,
  { path, action }: { path: string; action: Action },
): Promise<AuditContext> {
  const { requestId, head, services } = ctx;
  const actor = await ctx.actor();
  const request = { action, requestId, address: head.clientAddress };
  if (!actor) {
    const nobody = { kind: "nobody" as const, id: null, name: "nobody", role: null };
    const reason = carriesToken(head.authorization) ? "This token is not valid." : "Please sign in.";
    await services.refusals.record(
      { actor: nobody, ...request },
      { target: path, reason, outcome: "refused" },
    );
    throw new AppError("UNAUTHENTICATED", reason);
  }
  const { kind, id, name, role } = actor;
  const audit: AuditContext = { actor: { kind, id, name, role }, ...request };
  const off = ACTIONS[action].mutates ? await readOffSwitches(services.prisma) : new Set<Action>();
  const decision = decideFor(actor, action, off);
  if (decision.allowed) return audit;
  await services.refusals.record(audit, { target: path, reason: decision.reason, outcome: "refused" });
  throw new AppError("FORBIDDEN", decision.reason);
}

/**
 * A form filled in wrongly is no event; everything else that somebody tried to change is. The row says
 * what and why as the change itself would have, and beside it what went wrong.
 */
async function recordFailure(
  { services }: Context,
  { audit, path, rawInput }: { audit: AuditContext; path: string; rawInput: ActionGuard["rawInput"] },
  { cause }: TRPCError,
): Promise<void> {
  if (cause instanceof ZodError) return;
  // Nor is being asked to come again later, which a flood of orders is many times a second.
  if (cause instanceof AppError && (cause.code === "BUSY" || cause.code === "RATE_LIMITED")) return;
  const isOurs = cause instanceof AppError && cause.code !== "INTERNAL";
  const outcome = isOurs && cause.code === "FORBIDDEN" ? "refused" : "failed";
  const error = isOurs ? cause.message : "Internal error";
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

/** The one place where errors of services become errors of the API; unknown ones are logged in full. */
function mapError(error: TRPCError, { ctx, path }: { ctx: Context; path: string }): TRPCError {
  const { cause } = error;
  const { requestId } = ctx;
  if (cause instanceof AppError) {
    if (cause.code === "INTERNAL") ctx.log.error({ err: cause, path, requestId }, "request failed");
    return fromAppError(cause);
  }
  if (isDatabaseUnavailable(cause)) {
    ctx.log.warn({ err: cause, path, requestId }, "the database was not reachable");
    const message = "We are very busy. Please try again in a moment.";
    return fromAppError(new AppError("BUSY", message, { retryAfterMs: 2_000 }));
  }
  if (error.code === "INTERNAL_SERVER_ERROR") {
    ctx.log.error({ err: cause ?? error, path, requestId }, "request failed");
  }
  return error;
}

function fromAppError(cause: AppError): TRPCError {
  return new TRPCError({ code: TRPC_CODES[cause.code], message: cause.message, cause });
}
