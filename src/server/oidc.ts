import type { ServerEnv } from "../process/server-env";
import type { Logger } from "../runtime/logger";
import { runLoop } from "../runtime/run-loop";
import { type Auth, OIDC_PROVIDER_ID, type OidcProvider } from "../services/access/auth";

const RETRY_MS = 30_000;
const DISCOVERY_TIMEOUT_MS = 5_000;

type InUse = { auth: Auth; hasOidc: boolean };

/**
 * better-auth without OpenID Connect until the provider has been reached, and with it afterwards.
 * better-auth fetches the discovery document at its start without a timeout, and every request would
 * wait for it: so an instance is used only after that fetch.
 */
export function followOidc(
  env: Pick<ServerEnv, "OIDC_DISCOVERY_URL" | "OIDC_CLIENT_ID" | "OIDC_CLIENT_SECRET">,
  create: (oidc: OidcProvider | null) => Auth,
  log: Logger,
): { inUse: () => InUse; stop(): Promise<void> } {
  const { OIDC_DISCOVERY_URL, OIDC_CLIENT_ID, OIDC_CLIENT_SECRET } = env;
  let inUse: InUse = { auth: create(null), hasOidc: false };
  if (!OIDC_DISCOVERY_URL) return { inUse: () => inUse, stop: async () => {} };
  const provider = {
    discoveryUrl: OIDC_DISCOVERY_URL,
    clientId: OIDC_CLIENT_ID!,
    clientSecret: OIDC_CLIENT_SECRET!,
  };
  const loop = runLoop({
    name: "openid connect",
    everyMs: RETRY_MS,
    maxBackoffMs: RETRY_MS,
    step: async signal => {
      if (inUse.hasOidc) return "idle";
      await requireAnswer(provider.discoveryUrl, signal);
      inUse = { auth: await ready(create(provider)), hasOidc: true };
      log.info("OpenID Connect enabled");
      return "idle";
    },
    onError: err => log.warn({ err }, "OpenID Connect provider not reachable"),
  });
  return { inUse: () => inUse, stop: () => loop.stop() };
}

/** Finds most faults of the provider with a request that has a timeout. */
async function requireAnswer(discoveryUrl: string, signal: AbortSignal): Promise<void> {
  const limit = AbortSignal.any([signal, AbortSignal.timeout(DISCOVERY_TIMEOUT_MS)]);
  const response = await fetch(discoveryUrl, { signal: limit });
  await response.body?.cancel();
  if (!response.ok) throw new Error(`the discovery document answers ${response.status}`);
}

async function ready(auth: Auth): Promise<Auth> {
  let timer: NodeJS.Timeout | undefined;
  const tooLate = new Promise<never>((_, reject) => {
    const error = new Error("the provider stopped answering");
    timer = setTimeout(() => reject(error), DISCOVERY_TIMEOUT_MS);
  });
  try {
    const { socialProviders } = await Promise.race([auth.$context, tooLate]);
    if (socialProviders.some(({ id }) => id === OIDC_PROVIDER_ID)) return auth;
    throw new Error("the discovery document lacks an issuer, jwks_uri or an endpoint");
  } finally {
    clearTimeout(timer);
  }
}
