import { initTRPC, TRPCError } from "@trpc/server";
import { AppError } from "../domain/app-error";
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
const mapErrors = t.middleware(async ({ ctx, path, next }) => {
  const result = await next();
  if (result.ok) return result;
  const { cause } = result.error;
  if (cause instanceof AppError) {
    if (cause.code === "INTERNAL" || cause.code === "BUSY")
      ctx.log.warn({ err: cause, path }, "request failed");
    throw new TRPCError({ code: TRPC_CODES[cause.code], message: cause.message, cause });
  }
  if (result.error.code === "INTERNAL_SERVER_ERROR")
    ctx.log.error({ err: cause ?? result.error, path }, "request failed");
  return result;
});

/** Charges each call of a batch. A limiter that cannot be asked lets the call pass: see docs. */
function limit(name: keyof RateLimits) {
  return t.middleware(async ({ ctx, next }) => {
    const retryAfterMs = await ctx.limits[name](ctx.head.clientAddress);
    if (retryAfterMs > 0) {
      const seconds = Math.ceil(retryAfterMs / 1_000);
      throw new AppError("RATE_LIMITED", `Too many requests. Please try again in ${seconds} s.`, {
        retryAfterMs,
      });
    }
    return next();
  });
}

/** Anyone may call these. */
export const publicProcedure = t.procedure.use(mapErrors);
export const limitedProcedure = (name: keyof RateLimits) => publicProcedure.use(limit(name));
