import type { IncomingMessage, ServerResponse } from "node:http";
import { isAPIError } from "better-auth/api";
import type { Logger } from "pino";
import type { Auth } from "../services/access/auth";
import { CLIENT_ADDRESS_HEADER, REQUEST_ID_HEADER } from "../services/access/auth-headers";
import { isPassing, retryRollbacks, sqlStateOf } from "../store/database-error";
import { readAuthBody } from "./auth-bodies";
import { readBody } from "./read-body";
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
  noteDatabaseTrouble: (error: unknown) => void;
};

export type AuthRequest = { requestId: string; clientAddress: string };

/**
 * Serves better-auth. Its own adapter for Node builds a URL from the Host and X-Forwarded-Proto headers, of which a
 * malformed one ends the process, and it reads a body of any length: so the request is made here.
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
  if (req.method !== "GET" && !isSameOrigin(req, mount.publicUrl))
    return refuse(res, 403, "This request comes from another site.");
  const body = await readBody(req, MAX_BODY_BYTES);
  if (body === null) {
    res.setHeader("connection", "close");
    return refuse(res, 413, "The request is too large.");
  }
  const read = readAuthBody(route, body);
  if ("error" in read) return refuse(res, 400, read.error, "BAD_REQUEST");
  const request = toRequest(req, { body: read.text, publicUrl: mount.publicUrl, requestId, clientAddress });
  try {
    await send(res, await retryRollbacks(() => auth.handler(request.clone())));
  } catch (error) {
    answerError(mount, res, error);
  }
}

type RequestParts = AuthRequest & { body: string | null; publicUrl: string };

/** Between two hops only, or of a body that is here already. */
const DROPPED_HEADERS = ["x-forwarded-host", "transfer-encoding", "content-length", "connection", "expect"];

function toRequest(
  req: IncomingMessage,
  { body, publicUrl, requestId, clientAddress }: RequestParts,
): Request {
  const { origin, protocol, host } = new URL(publicUrl);
  const headers = new Headers();
  for (const [name, value] of Object.entries(req.headers))
    for (const one of [value ?? []].flat()) headers.append(name, one);
  for (const name of DROPPED_HEADERS) headers.delete(name);
  headers.set("x-forwarded-proto", protocol.slice(0, -1));
  headers.set("host", host);
  // Checked above by the rule of the whole API; better-auth accepts one spelling only.
  if (headers.has("origin")) headers.set("origin", origin);
  headers.set(CLIENT_ADDRESS_HEADER, clientAddress);
  headers.set(REQUEST_ID_HEADER, requestId);
  if (body !== null) headers.set("content-type", "application/json");
  return new Request(new URL(req.url!, origin), { method: req.method, headers, body });
}

async function send(res: ServerResponse, response: Response): Promise<void> {
  res.statusCode = response.status;
  // Each cookie has a line of its own.
  for (const [name, value] of response.headers) if (name !== "set-cookie") res.setHeader(name, value);
  for (const cookie of response.headers.getSetCookie()) res.appendHeader("set-cookie", cookie);
  res.end(withoutToken(await response.text()));
}

/** The session is in the cookie alone, which no script can read. */
function withoutToken(text: string): string {
  if (!text.startsWith("{")) return text;
  const { token: _, ...rest } = JSON.parse(text) as Record<string, unknown>;
  return JSON.stringify(rest);
}

function answerError({ log, noteDatabaseTrouble }: AuthMount, res: ServerResponse, error: unknown): void {
  if (res.headersSent) throw error;
  if (isAPIError(error) && error.statusCode !== 500) {
    res.setHeaders(new Headers(error.headers));
    refuse(res, error.statusCode, error.body?.message ?? "The request failed.", error.body?.code);
    return;
  }
  const cause = isAPIError(error) ? error.cause : error;
  if (!isPassing(cause)) throw error;
  noteDatabaseTrouble(cause);
  log.warn({ err: cause, sqlState: sqlStateOf(cause) }, "database can't do it now");
  res.setHeader("retry-after", "2");
  refuse(res, 503, "We are very busy. Please try again in a moment.", "BUSY");
}

function refuse(res: ServerResponse, status: number, message: string, code?: string): void {
  res.writeHead(status, { "content-type": "application/json" });
  res.end(JSON.stringify({ code, message }));
}
