import type { TRPCLink } from "@trpc/client";
import type { AppRouter } from "../../api/router";

/** Time limits of a call, milliseconds. The `context.deadlineMs` of a call overrides them. */
export type Deadlines = { queryMs: number; mutationMs: number };

/**
 * Aborts every call at its deadline, since a server that hangs never answers. Whether an aborted
 * mutation made its change is unknown.
 */
export const deadlineLink =
  ({ queryMs, mutationMs }: Deadlines): TRPCLink<AppRouter> =>
  () =>
  ({ op, next }) => {
    const { deadlineMs = op.type === "query" ? queryMs : mutationMs } = op.context as { deadlineMs?: number };
    return next({ ...op, signal: within(deadlineMs, op.signal) });
  };

/** Whether the call was aborted at its deadline or by its caller. */
export function isAborted(error: unknown): boolean {
  const { cause } = (error ?? {}) as { cause?: { name?: unknown } };
  return cause?.name === "AbortError";
}

/** Like AbortSignal.any, which older browsers do not have. */
function within(ms: number, signal: AbortSignal | null | undefined): AbortSignal {
  const either = new AbortController();
  const abort = () => either.abort();
  if (signal?.aborted) abort();
  signal?.addEventListener("abort", abort, { once: true });
  AbortSignal.timeout(ms).addEventListener("abort", abort, { once: true });
  return either.signal;
}
