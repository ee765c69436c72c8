import { type Auth, CLIENT_ADDRESS_HEADER } from "./auth";

/** Who sent a request, as far as sessions need to know. */
export type RequestHead = { cookie: string; userAgent: string; clientAddress: string };

export type SignedInUser = { id: string; username: string; email: string; createdAt: Date };

/** Opens a session; returns the Set-Cookie values for the browser. */
export async function openSession(auth: Auth, userId: string, head: RequestHead): Promise<string[]> {
  const opened = await auth.api.openSession({
    body: { userId },
    headers: toHeaders(head),
    returnHeaders: true,
  });
  return opened.headers.getSetCookie();
}

/** The user of a request's session cookie, or null. Renewed cookies are returned to be set. */
export async function readSession(
  auth: Auth,
  head: RequestHead,
): Promise<{ user: SignedInUser; cookies: string[] } | null> {
  if (head.cookie === "") return null;
  const { headers, response } = await auth.api.getSession({ headers: toHeaders(head), returnHeaders: true });
  if (!response) return null;
  const { id, username, email, createdAt } = response.user;
  return { user: { id, username, email, createdAt }, cookies: headers.getSetCookie() };
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
  });
}
