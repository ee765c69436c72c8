import { initTRPC } from "@trpc/server";
import type { Action } from "../domain/access/permissions";
import type { Context, RateLimits } from "./context";
import { publicError } from "./error-shape";
import { guard, guardAction } from "./guard";

/** The action of a guarded procedure; tests read it from every procedure. */
export type ProcedureMeta = { action?: Action };

const t = initTRPC
  .context<Context>()
  .meta<ProcedureMeta>()
  .create({
    // Explicit, since tRPC sends stack traces when NODE_ENV is unset.
    isDev: false,
    sse: {
      maxDurationMs: 60_000,
      ping: { enabled: true, intervalMs: 5_000 },
      client: { reconnectAfterInactivityMs: 15_000 },
    },
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

/** Needs no permission. */
export const publicProcedure = guardedProcedure();
export const limitedProcedure = (limit: keyof RateLimits) => guardedProcedure(limit);

/** Needs the permission for the action, which `ctx.caller` has. `ctx.audit` is for the audit row. */
export const actionProcedure = (action: Action) =>
  t.procedure.meta({ action }).use(({ ctx, path, getRawInput, next }) =>
    guardAction(ctx, { path, action, rawInput: getRawInput }, async ({ actor, audit }) => {
      const result = await next({ ctx: { caller: actor, audit } });
      if (!result.ok) throw result.error;
      return result;
    }),
  );
