import { initTRPC } from "@trpc/server";
import type { Context, RateLimits } from "./context";
import { publicError } from "./error-shape";
import { guard } from "./guard";

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

function guardedProcedure(limit?: keyof RateLimits) {
  return t.procedure.use(({ ctx, path, next }) =>
    guard(ctx, { path, limit }, async () => {
      const result = await next();
      if (!result.ok) throw result.error;
      return result;
    }),
  );
}

/** Anyone may call these. */
export const publicProcedure = guardedProcedure();
export const limitedProcedure = (limit: keyof RateLimits) => guardedProcedure(limit);
