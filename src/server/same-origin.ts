import type { IncomingMessage } from "node:http";

/** Browsers name the origin of every POST. Programs name none, and have no cookies to abuse. */
export function isSameOrigin(req: IncomingMessage, publicUrl: string): boolean {
  const { origin, host } = req.headers;
  if (origin === undefined) return req.headers["sec-fetch-site"] !== "cross-site";
  return origin === new URL(publicUrl).origin || origin === `http://${host}` || origin === `https://${host}`;
}
