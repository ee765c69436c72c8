import type { IncomingMessage, ServerResponse } from "node:http";
import { isAPIError } from "better-auth/api";
import { toNodeHandler } from "better-auth/node";
import type { Logger } from "pino";
import type { Auth } from "../services/access/auth";
import { CLIENT_ADDRESS_HEADER, REQUEST_ID_HEADER } from "../services/access/auth-headers";
import { isDatabaseUnavailable } from "../store/unavailable";
import { isSameOrigin } from "./same-origin";

export const AUTH_PREFIX = "/api/auth";
const MAX_BODY_BYTES = 16 * 1024;

/** All other routes of better-auth answer 404. */
const ALLOWED = new Set(["POST /sign-in/username", "POST /sign-in/email", "POST /sign-out"]);
const ALLOWED_WITH_OIDC = new Set(["POST /sign-in/social", "GET /callback/oidc"]);

export type AuthMount = {
  /** The current instance: it changes when the OpenID Connect provider has been reached. */
  auth: () => { auth: Auth; hasOidc: boolean };
  publicUrl: string;
  log: Logger;
};

export type AuthRequest = { requestId: string; clientAddress: string };

/**
 * Serves better-auth. Its adapter builds a URL from the Host and X-Forwarded-Proto headers, and a
 * malformed one ends the process: so they are overwritten with the configured values.
 */
export async function serveAuth(
  mount: AuthMount,
  { req, res }: { req: IncomingMessage; res: ServerResponse },
  { requestId, clientAddress }: AuthRequest,
): Promise<void> {
  const { auth, hasOidc } = mount.auth();
  const route = `${req.method} ${req.url!.slice(AUTH_PREFIX.length).split("?", 1)[0]}`;
  res.setHeader("x-request-id", requestId);
  res.setHeader("cache-control", "no-store");
  if (!ALLOWED.has(route) && !(hasOidc && ALLOWED_WITH_OIDC.has(route))) {
    return refuse(res, 404, "There is no such route.");
  }
  if (req.method !== "GET") {
    if (!isSameOrigin(req, mount.publicUrl)) return refuse(res, 403, "This request comes from another site.");
    const tooLarge = Number(req.headers["content-length"] ?? 0) > MAX_BODY_BYTES;
    if (tooLarge || req.headers["transfer-encoding"] !== undefined) {
      res.setHeader("connection", "close");
      return refuse(res, 413, "The request is too large.");
    }
  }
  const { origin, protocol, host } = new URL(mount.publicUrl);
  req.headers["x-forwarded-proto"] = protocol.slice(0, -1);
  req.headers.host = host;
  delete req.headers["x-forwarded-host"];
  // Checked above by the rule of the whole API; better-auth accepts one spelling only.
  if (req.headers.origin !== undefined) req.headers.origin = origin;
  req.headers[CLIENT_ADDRESS_HEADER] = clientAddress;
  req.headers[REQUEST_ID_HEADER] = requestId;
  await toNodeHandler(auth)(req, res).catch((error: unknown) => answerError(mount, res, error));
}

function answerError({ log }: AuthMount, res: ServerResponse, error: unknown): void {
  if (res.headersSent) throw error;
  if (isAPIError(error) && error.statusCode !== 500) {
    res.setHeaders(new Headers(error.headers));
    refuse(res, error.statusCode, error.body?.message ?? "The request failed.", error.body?.code);
    return;
  }
  const cause = isAPIError(error) ? error.cause : error;
  if (!isDatabaseUnavailable(cause)) throw error;
  log.warn({ err: cause }, "database not reachable");
  refuse(res, 503, "We are very busy. Please try again in a moment.", "BUSY");
}

function refuse(res: ServerResponse, status: number, message: string, code?: string): void {
  res.writeHead(status, { "content-type": "application/json" });
  res.end(JSON.stringify({ code, message }));
}
