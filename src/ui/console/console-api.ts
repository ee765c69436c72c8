import { createTRPCClient } from "@trpc/client";
import { httpLink } from "@trpc/client/links/httpLink";
import type { AppRouter } from "../../api/router";
import { idempotencyHeader } from "../idempotency-key";
import { fetchFromApi, isPageOld, updatePage } from "../page-build";
import type { ConsoleClient } from "./contract";
import { deadlineLink } from "./deadline-link";
import { intentLink } from "./intent-link";

const url = "/api/trpc";

/** The server limits a database query to 5 s. A mutation makes several queries. */
const DEADLINES = { queryMs: 8_000, mutationMs: 20_000 };

/** An old page is loaded again when that loses nothing: its state is in the address, but for an open dialog's. */
const fetchForConsole: typeof fetchFromApi = async (input, init) => {
  const response = await fetchFromApi(input, init);
  if (isPageOld() && !document.querySelector("dialog[open]")) updatePage();
  return response;
};

/** The API client of the console, one request per call. Live data comes by openLiveStream. */
export const consoleApi: ConsoleClient = createTRPCClient<AppRouter>({
  links: [
    intentLink,
    deadlineLink(DEADLINES),
    httpLink({ url, headers: idempotencyHeader, fetch: fetchForConsole }),
  ],
});
