import { initTRPC, TRPCError } from "@trpc/server";
import { AppError } from "../domain/app-error";
import { isDatabaseUnavailable } from "../store/unavailable";
import type { Context, RateLimits } from "./context";
import { publicError, TRPC_CODES } from "./error-shape";

const t = initTRPC.context<Context>().create({
  // Stated, since tRPC sends stacks when NODE_ENV is unset.
  isDev: false,
  errorFormatter({ shape, error, ctx }) {
    const { message, details } = publicError(error);
    const { code, httpStatus, path } = shape.data;
    return { ...shape, message, data: { code, httpStatus, path, requestId: ctx?.requestId, details } };
  },
});

export const router = t.router;

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
    return fromAppError(
      new AppError("BUSY", "We are very busy. Please try again in a moment.", { retryAfterMs: 2_000 }),
    );
  }
  if (error.code === "INTERNAL_SERVER_ERROR") {
    ctx.log.error({ err: cause ?? error, path, requestId }, "request failed");
  }
  return error;
}

function fromAppError(cause: AppError): TRPCError {
  return new TRPCError({ code: TRPC_CODES[cause.code], message: cause.message, cause });
}

/**
 * Anyone may call these. `limit` charges each call of a batch to its client's quota.
 * One middleware for both, since each one copies context and options in tRPC.
 */
function openProcedure(limit?: keyof RateLimits) {
  return t.procedure.use(async ({ ctx, path, next }) => {
    const retryAfterMs = limit ? await ctx.limits[limit](ctx.head.clientAddress) : 0;
    if (retryAfterMs > 0) {
      const seconds = Math.ceil(retryAfterMs / 1_000);
      const message = `Too many requests. Please try again in ${seconds} s.`;
      throw fromAppError(new AppError("RATE_LIMITED", message, { retryAfterMs }));
    }
    const result = await next();
    if (!result.ok) throw mapError(result.error, { ctx, path });
    return result;
  });
}

export const publicProcedure = openProcedure();
export const limitedProcedure = (limit: keyof RateLimits) => openProcedure(limit);
