import { createTRPCClient } from "@trpc/client";
import { httpLink } from "@trpc/client/links/httpLink";
import type { AppRouter } from "../api/router";
import { idempotencyHeader } from "./idempotency-key";
import { fetchFromApi } from "./page-build";

/** The API client of the public pages. One request per call, so that a check does not wait for a batch. */
export const api = createTRPCClient<AppRouter>({
  links: [httpLink({ url: "/api/trpc", headers: idempotencyHeader, fetch: fetchFromApi })],
});
