import type { Logger } from "../runtime/logger";
import { runLoop } from "../runtime/run-loop";
import type { Auth, OidcProvider } from "../services/auth";
import { readOidcProvider } from "../services/read-oidc-provider";
import type { ServerEnv } from "./env";

const RETRY_MS = 30_000;

type InUse = { auth: Auth; hasOidc: boolean };

/**
 * better-auth with OpenID Connect once its provider has been reached, and without until then:
 * passwords work whatever the provider does.
 */
export function followOidc(
  env: Pick<ServerEnv, "OIDC_DISCOVERY_URL" | "OIDC_CLIENT_ID" | "OIDC_CLIENT_SECRET">,
  create: (oidc: OidcProvider | null) => Auth,
  log: Logger,
): { inUse: () => InUse; stop(): Promise<void> } {
  const { OIDC_DISCOVERY_URL, OIDC_CLIENT_ID, OIDC_CLIENT_SECRET } = env;
  let inUse: InUse = { auth: create(null), hasOidc: false };
  if (!OIDC_DISCOVERY_URL) return { inUse: () => inUse, stop: async () => {} };
  const configured = {
    discoveryUrl: OIDC_DISCOVERY_URL,
    clientId: OIDC_CLIENT_ID!,
    clientSecret: OIDC_CLIENT_SECRET!,
  };
  const loop = runLoop({
    name: "openid connect",
    everyMs: RETRY_MS,
    maxBackoffMs: RETRY_MS,
    step: async () => {
      if (inUse.hasOidc) return "idle";
      inUse = { auth: create(await readOidcProvider(configured)), hasOidc: true };
      log.info("OpenID Connect is on");
      return "idle";
    },
    onError: err => log.warn({ err }, "OpenID Connect is off: the provider could not be reached"),
  });
  return { inUse: () => inUse, stop: () => loop.stop() };
}
