const METHODS = ["GET", "HEAD", "POST"];

/**
 * The status for a request that no route understands: 405 for a method, 404 for a target that is no path, such as `*`
 * and `/%`. Null for all others.
 */
export function refusedTarget(method = "", url: string): 404 | 405 | null {
  if (!METHODS.includes(method)) return 405;
  // Of the other forms, `http://…` names another site, and Next.js would redirect to it.
  if (!url.startsWith("/")) return 404;
  try {
    decodeURIComponent(url.split("?", 1)[0]!);
    return null;
  } catch {
    return 404;
  }
}
