import type { TRPCLink } from "@trpc/client";
import type { AppRouter } from "../../api/router";

/** Milliseconds until a call is given up. A call's own `context.deadlineMs` goes before them. */
export type Deadlines = { queryMs: number; mutationMs: number };

/**
 * Ends every call at some time: a server that hangs refuses nothing, so nothing else would. What a
 * mutation that was given up has done is unknown.
 */
export const deadlineLink =
  ({ queryMs, mutationMs }: Deadlines): TRPCLink<AppRouter> =>
  () =>
  ({ op, next }) => {
    const { deadlineMs = op.type === "query" ? queryMs : mutationMs } = op.context as { deadlineMs?: number };
    return next({ ...op, signal: within(deadlineMs, op.signal) });
  };

/** Whether this is how a call ends that was given up. */
export function isGivenUp(error: unknown): boolean {
  const { cause } = (error ?? {}) as { cause?: { name?: unknown } };
  return cause?.name === "AbortError";
}

/** Like AbortSignal.any, which younger browsers have alone. */
function within(ms: number, signal: AbortSignal | null | undefined): AbortSignal {
  const either = new AbortController();
  const abort = () => either.abort();
  if (signal?.aborted) abort();
  signal?.addEventListener("abort", abort, { once: true });
  AbortSignal.timeout(ms).addEventListener("abort", abort, { once: true });
  return either.signal;
}
