import { createTRPCClient } from "@trpc/client";
import { httpLink } from "@trpc/client/links/httpLink";
import type { AppRouter } from "../api/router";

/** The browser's way to the server. One request per call: the hot check must not wait for a batch. */
export const api = createTRPCClient<AppRouter>({ links: [httpLink({ url: "/api/trpc" })] });
