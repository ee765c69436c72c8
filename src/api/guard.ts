import { getTRPCErrorFromUnknown, TRPCError } from "@trpc/server";
import { AppError } from "../domain/app-error";
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
