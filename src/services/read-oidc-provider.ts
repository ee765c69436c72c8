import { z } from "zod";
import type { OidcProvider } from "./auth";

const DISCOVERY_TIMEOUT_MS = 5_000;
const MAX_BYTES = 64 * 1024;

const Discovery = z.object({
  issuer: z.url(),
  authorization_endpoint: z.url(),
  token_endpoint: z.url(),
  userinfo_endpoint: z.url().optional(),
  jwks_uri: z.url(),
  id_token_signing_alg_values_supported: z.array(z.string()).min(1),
});

/**
 * Fetches a provider's discovery document, bounded in time and size. better-auth reads the document
 * from the data: URL that is returned: left to fetch it by itself, it would wait for a provider that
 * never answers, and every request of ours with it.
 * @throws when the provider does not answer in time, or with something else
 */
export async function readOidcProvider(configured: OidcProvider): Promise<OidcProvider> {
  const response = await fetch(configured.discoveryUrl, {
    signal: AbortSignal.timeout(DISCOVERY_TIMEOUT_MS),
    headers: { accept: "application/json" },
  });
  if (!response.ok) throw new Error(`the provider's discovery document answers ${response.status}`);
  const text = await response.text();
  if (text.length > MAX_BYTES) throw new Error("the provider's discovery document is too large");
  const document = Discovery.parse(JSON.parse(text));
  const encoded = Buffer.from(JSON.stringify(document)).toString("base64");
  return { ...configured, discoveryUrl: `data:application/json;base64,${encoded}` };
}
