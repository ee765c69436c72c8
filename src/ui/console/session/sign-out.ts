import type { QueryClient } from "@tanstack/react-query";
import { AUTH_TIMEOUT_MS } from "./auth-timeout-ms";

/** Ends the session at the server, then clears the cache of the browser. */
export async function signOut(client: QueryClient): Promise<void> {
  const response = await fetch("/api/auth/sign-out", {
    method: "POST",
    signal: AbortSignal.timeout(AUTH_TIMEOUT_MS),
    headers: { "content-type": "application/json" },
    body: "{}",
  });
  if (!response.ok) throw new Error(`sign-out failed with status ${response.status}`);
  client.clear();
  // A full load, so that no page of the console stays in memory.
  location.assign("/console/sign-in");
}
