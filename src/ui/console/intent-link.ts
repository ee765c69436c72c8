import type { TRPCLink } from "@trpc/client";
import { tap } from "@trpc/server/observable";
import type { AppRouter } from "../../api/router";
import { toApiFailure } from "../api-failure";
import { newIdempotencyKey } from "../idempotency-key";

/** Keys whose answers never came; the page forgets them all rather than to grow. */
const MAX_KEYS = 100;

/** It is unknown whether the change was made: no answer came, or the server does not know. */
export function isOutcomeUnknown(error: unknown): boolean {
  const { code, details } = toApiFailure(error);
  return code === undefined || details.outcome === "unknown";
}

/** Gives each change a key, and its repeat the same one until an answer says whether it was made. */
export const intentLink: TRPCLink<AppRouter> = () => {
  const keys = new Map<string, string>();
  return ({ op, next }) => {
    if (op.type !== "mutation") return next(op);
    const intent = op.path + JSON.stringify(op.input);
    const idempotencyKey = keys.get(intent) ?? newIdempotencyKey();
    if (keys.size >= MAX_KEYS) keys.clear();
    keys.set(intent, idempotencyKey);
    const call = next({ ...op, context: { ...op.context, idempotencyKey } });
    return call.pipe(
      tap({
        next: () => keys.delete(intent),
        error: error => {
          if (!isOutcomeUnknown(error)) keys.delete(intent);
        },
      }),
    );
  };
};
