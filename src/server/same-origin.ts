import type { IncomingMessage } from "node:http";

/**
 * Browsers send the origin with every POST. Programs send none, and no cookies that could be abused. A site on https has
 * one origin; without TLS the address in use counts as well, such as that of the machine.
 */
export function isSameOrigin(req: IncomingMessage, publicUrl: string): boolean {
  const { origin, host } = req.headers;
  if (origin === undefined) return req.headers["sec-fetch-site"] !== "cross-site";
  const own = new URL(publicUrl);
  if (origin === own.origin) return true;
  return own.protocol === "http:" && (origin === `http://${host}` || origin === `https://${host}`);
}
