import { createTRPCClient, httpSubscriptionLink, splitLink } from "@trpc/client";
import { httpLink } from "@trpc/client/links/httpLink";
import type { AppRouter } from "../../api/router";
import type { ConsoleClient } from "./contract";

const url = "/api/trpc";

/** The console's way to the server: one request per call, and one event stream for what is live. */
export const consoleApi: ConsoleClient = createTRPCClient<AppRouter>({
  links: [
    splitLink({
      condition: operation => operation.type === "subscription",
      true: httpSubscriptionLink({ url }),
      false: httpLink({ url }),
    }),
  ],
});
