import type { IncomingHttpHeaders } from "node:http";
import { isIPv4 } from "node:net";
import ipaddr from "ipaddr.js";

/**
 * The client's address for rate limits and sessions: IPv4 (also when mapped into IPv6), or the /64 of
 * an IPv6 address, since one subscriber owns a whole /64.
 * @param trustedHops number of our proxies; each appends one address to X-Forwarded-For, so only that
 *   many entries, counted from the right, are trusted
 */
export function clientAddress(
  peer: string | undefined,
  headers: IncomingHttpHeaders,
  trustedHops: number,
): string {
  const direct = canonical(peer ?? "") ?? "unknown";
  if (trustedHops === 0) return direct;
  const forwarded = [headers["x-forwarded-for"] ?? []].flat().join(",").split(",");
  const claimed = forwarded.at(-Math.min(trustedHops, forwarded.length)) ?? "";
  return canonical(claimed.trim()) ?? canonical(withoutPort(claimed.trim())) ?? direct;
}

/** Some proxies write "192.0.2.1:5678" or "[2001:db8::1]:443". */
function withoutPort(entry: string): string {
  return entry.replace(/^\[(.*)\](:\d+)?$/, "$1").replace(/^([\d.]+):\d+$/, "$1");
}

function canonical(text: string): string | null {
  if (isIPv4(text)) return text;
  if (!ipaddr.isValid(text)) return null;
  const address = ipaddr.process(text);
  if (address.kind() === "ipv4") return address.toString();
  const bytes = address.toByteArray();
  return `${ipaddr.fromByteArray([...bytes.slice(0, 8), 0, 0, 0, 0, 0, 0, 0, 0]).toString()}/64`;
}
