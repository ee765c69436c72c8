import type { IncomingMessage } from "node:http";

/** Browsers send the origin with every POST. Programs send none, and no cookies that could be abused. */
export function isSameOrigin(req: IncomingMessage, publicUrl: string): boolean {
  const { origin, host } = req.headers;
  if (origin === undefined) return req.headers["sec-fetch-site"] !== "cross-site";
  return origin === new URL(publicUrl).origin || origin === `http://${host}` || origin === `https://${host}`;
}
