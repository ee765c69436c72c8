import { createTRPCClient, httpSubscriptionLink, splitLink } from "@trpc/client";
import { httpLink } from "@trpc/client/links/httpLink";
import type { AnyTRPCRouter } from "@trpc/server";
import type { ConsoleClient } from "./contract";

const url = "/api/trpc";

/** The console's way to the server: one request per call, and one event stream for what is live. */
export const consoleApi = createTRPCClient<AnyTRPCRouter>({
  links: [
    splitLink({
      condition: operation => operation.type === "subscription",
      true: httpSubscriptionLink({ url }),
      false: httpLink({ url }),
    }),
  ],
}) as unknown as ConsoleClient;
