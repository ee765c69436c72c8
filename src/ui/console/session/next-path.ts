/** Where to go after signing in: a page of the console and nowhere else, whatever the address says. */
export function nextPath(wanted: string | null): string {
  if (!wanted) return "/console/gate";
  const base = "http://console.invalid";
  const url = URL.canParse(wanted, base) ? new URL(wanted, base) : undefined;
  const isOurs = url?.origin === base && url.pathname.startsWith("/console/");
  if (!isOurs || url.pathname.startsWith("/console/sign-in")) return "/console/gate";
  return url.pathname + url.search;
}
