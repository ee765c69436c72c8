import { randomUUID } from "node:crypto";
import { createTRPCClient, httpLink, retryLink, type TRPCClientError } from "@trpc/client";
import { z } from "zod";
import type { AppRouter } from "../api/router";

export const apiEnv = z.object({
  FLOODGATE_URL: z.url().default("http://localhost:3000"),
  FLOODGATE_TOKEN: z.string().min(1).describe("a service token: create one in the console under Tokens"),
});

export type Api = ReturnType<typeof createApi>;

const CALL_TIMEOUT_MS = 10_000;
const [TRIES, PAUSE_MS] = [3, 1_000];

/** No answer came, or the server got none from its database. A change has a key, so it is safe to ask again. */
function isOutcomeUnknown({ data }: TRPCClientError<AppRouter>): boolean {
  return !data || (data.details as { outcome?: string }).outcome === "unknown";
}

/** A client of the API that calls it with a service token, three times while there is no answer. */
export function createApi(
  { FLOODGATE_URL, FLOODGATE_TOKEN }: z.output<typeof apiEnv>,
  { pauseMs = PAUSE_MS } = {},
) {
  const run = randomUUID();
  return createTRPCClient<AppRouter>({
    links: [
      retryLink({
        retry: ({ error, attempts }) => attempts < TRIES && isOutcomeUnknown(error),
        retryDelayMs: n => n * pauseMs,
      }),
      httpLink({
        url: `${FLOODGATE_URL.replace(/\/$/, "")}/api/trpc`,
        headers: ({ op }) => ({
          authorization: `Bearer ${FLOODGATE_TOKEN}`,
          // A retry is the same operation, so it has the same key.
          ...(op.type === "mutation" && { "idempotency-key": `${run}-${op.id}` }),
        }),
        fetch: (url, init) =>
          fetch(url, { ...init, signal: AbortSignal.timeout(CALL_TIMEOUT_MS) } as RequestInit),
      }),
    ],
  });
}
