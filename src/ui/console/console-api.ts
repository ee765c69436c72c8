import { createTRPCClient } from "@trpc/client";
import { httpLink } from "@trpc/client/links/httpLink";
import type { AppRouter } from "../../api/router";
import type { ConsoleClient } from "./contract";
import { deadlineLink } from "./deadline-link";

const url = "/api/trpc";

/** The server gives up on one question to the database after 5 s; a change asks several. */
const DEADLINES = { queryMs: 8_000, mutationMs: 20_000 };

/** The console's way to the server: one request per call. What is live comes by openLiveStream. */
export const consoleApi: ConsoleClient = createTRPCClient<AppRouter>({
  links: [deadlineLink(DEADLINES), httpLink({ url })],
});
