import { createTRPCClient, httpLink } from "@trpc/client";
import { z } from "zod";
import type { AppRouter } from "../api/router";

export const apiEnv = z.object({
  FLOODGATE_URL: z.url().default("http://localhost:3000"),
  FLOODGATE_TOKEN: z.string().min(1).describe("a service token: create one in the console under Tokens"),
});

export type Api = ReturnType<typeof createApi>;

const CALL_TIMEOUT_MS = 10_000;

/** A client of the API that calls it with a service token. */
export function createApi({ FLOODGATE_URL, FLOODGATE_TOKEN }: z.output<typeof apiEnv>) {
  return createTRPCClient<AppRouter>({
    links: [
      httpLink({
        url: `${FLOODGATE_URL.replace(/\/$/, "")}/api/trpc`,
        headers: { authorization: `Bearer ${FLOODGATE_TOKEN}` },
        fetch: (url, init) =>
          fetch(url, { ...init, signal: AbortSignal.timeout(CALL_TIMEOUT_MS) } as RequestInit),
      }),
    ],
  });
}
