"use client";

import { QueryCache, QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { NuqsAdapter } from "nuqs/adapters/next/app";
import { type ReactNode, useState } from "react";
import { toApiFailure } from "../api-failure";
import { isAborted } from "./deadline-link";
import { isOutcomeUnknown } from "./intent-link";
import { ME_KEY } from "./session/me-key";
import { Toasts } from "./toast/toasts";

/** Retries a broken connection and a busy server. A refusal is final, and an aborted call has waited already. */
function isWorthRetrying(failures: number, error: unknown): boolean {
  const { code } = toApiFailure(error);
  return failures < 2 && !isAborted(error) && (code === undefined || code === "SERVICE_UNAVAILABLE");
}

function createQueryClient(): QueryClient {
  const client: QueryClient = new QueryClient({
    defaultOptions: {
      queries: { retry: isWorthRetrying, staleTime: 2_000 },
      // Its idempotency key makes the repeat safe, and tells whether the change was made.
      mutations: {
        retry: (failures, error) => failures < 2 && !isAborted(error) && isOutcomeUnknown(error),
      },
    },
    queryCache: new QueryCache({
      onError(error, query) {
        const hasEnded = toApiFailure(error).code === "UNAUTHORIZED" && query.queryKey[0] !== ME_KEY[0];
        if (hasEnded) void client.invalidateQueries({ queryKey: ME_KEY });
      },
    }),
  });
  return client;
}

/** The context of every console page: query cache, URL state and toasts. */
export function Providers({ children }: { children: ReactNode }) {
  const [client] = useState(createQueryClient);
  return (
    <QueryClientProvider client={client}>
      <NuqsAdapter>{children}</NuqsAdapter>
      <Toasts />
    </QueryClientProvider>
  );
}
