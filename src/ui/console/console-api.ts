import { createTRPCClient } from "@trpc/client";
import { httpLink } from "@trpc/client/links/httpLink";
import type { AppRouter } from "../../api/router";
import type { ConsoleClient } from "./contract";

const url = "/api/trpc";

/** The console's way to the server: one request per call. What is live comes by openLiveStream. */
export const consoleApi: ConsoleClient = createTRPCClient<AppRouter>({ links: [httpLink({ url })] });
