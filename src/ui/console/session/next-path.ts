/** The page to open after sign-in: the wanted one if it belongs to the console, else the role's home page. */
export function nextPath(wanted: string | null): string {
  if (!wanted) return "/console";
  const base = "http://console.invalid";
  const url = URL.canParse(wanted, base) ? new URL(wanted, base) : undefined;
  const isOurs = url?.origin === base && url.pathname.startsWith("/console/");
  if (!isOurs || url.pathname.startsWith("/console/sign-in")) return "/console";
  return url.pathname + url.search;
}
