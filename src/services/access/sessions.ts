import { isAPIError } from "better-auth/api";
import { isRole, type Role } from "../../domain/access/permissions";
import type { Auth } from "./auth";
import { CLIENT_ADDRESS_HEADER, REQUEST_ID_HEADER } from "./auth-headers";

/** The headers of a request that identify its sender. `authorization` is empty without a token. */
export type RequestHead = {
  cookie: string;
  authorization: string;
  userAgent: string;
  clientAddress: string;
  requestId: string;
  /** As it was sent; empty without one. */
  idempotencyKey: string;
};

export type SignedInUser = { id: string; username: string; email: string; role: Role; createdAt: Date };

/** Opens a session; returns the Set-Cookie values for the browser. */
export async function openSession(auth: Auth, userId: string, head: RequestHead): Promise<string[]> {
  const opened = await auth.api.openSession({
    body: { userId },
    headers: toHeaders(head),
    returnHeaders: true,
  });
  return opened.headers.getSetCookie();
}

/**
 * The user of a request's session cookie, read from the database each time; null without a session or
 * for a disabled user. `cookies` are the renewed ones to set.
 */
export async function readSession(
  auth: Auth,
  head: RequestHead,
): Promise<{ user: SignedInUser; cookies: string[] } | null> {
  if (head.cookie === "") return null;
  const { headers, response } = await auth.api
    .getSession({ headers: toHeaders(head), returnHeaders: true })
    .catch(unwrap);
  if (!response || response.user.disabledAt) return null;
  const { id, displayUsername, email, role, createdAt } = response.user;
  if (!displayUsername || !isRole(role)) return null;
  return {
    user: { id, username: displayUsername, email, role, createdAt },
    cookies: headers.getSetCookie(),
  };
}

/** better-auth wraps every error; the guard needs the cause to distinguish an outage from a bug. */
function unwrap(error: unknown) {
  if (!isAPIError(error)) throw error;
  // The session ended while it was being renewed.
  if (error.status === "UNAUTHORIZED") return { headers: new Headers(), response: null };
  throw error.cause ?? error;
}

/** Deletes the session row; returns the Set-Cookie values that clear the cookie. */
export async function closeSession(auth: Auth, head: RequestHead): Promise<string[]> {
  const { headers } = await auth.api.signOut({ headers: toHeaders(head), returnHeaders: true });
  return headers.getSetCookie();
}

function toHeaders(head: RequestHead): Headers {
  return new Headers({
    cookie: head.cookie,
    "user-agent": head.userAgent.slice(0, 256),
    [CLIENT_ADDRESS_HEADER]: head.clientAddress,
    [REQUEST_ID_HEADER]: head.requestId,
  });
}
