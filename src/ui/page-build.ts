let isOld = false;

/** Whether a server of another build has answered than the one that this page came from. */
export const isPageOld = (): boolean => isOld;

/** The server names its build in the timing of the page, since the page itself is prerendered. */
function ownBuild(): string | undefined {
  const [page] = performance.getEntriesByType("navigation") as PerformanceNavigationTiming[];
  return page?.serverTiming?.find(({ name }) => name === "build")?.description;
}

/** `fetch` for the API, which notices when the page has become old. */
export async function fetchFromApi(input: RequestInfo | URL, init?: RequestInit): Promise<Response> {
  const response = await fetch(input, init);
  const build = response.headers.get("x-floodgate-build");
  const own = ownBuild();
  if (build && own && build !== own) isOld = true;
  return response;
}

const KEY = "floodgate-updated";
const AGAIN_AFTER_MS = 600_000;
const NEWS_MS = 15_000;
const msSinceUpdate = () => Date.now() - Number(sessionStorage.getItem(KEY) ?? 0);

/**
 * Loads the page again, but not soon after the last time: servers of two builds must not make it do so for ever.
 * @param prepare runs only when the page is loaded again
 * @returns false when the page stays
 */
export function updatePage(prepare: () => void = () => {}): boolean {
  if (msSinceUpdate() < AGAIN_AFTER_MS) return false;
  prepare();
  sessionStorage.setItem(KEY, String(Date.now()));
  location.reload();
  return true;
}

/** Whether `updatePage` has loaded this page. */
export const wasUpdated = (): boolean => msSinceUpdate() < NEWS_MS;

/** A lazy part of the page could not be loaded, although the server is there: its build is gone. */
export async function isPartGone(error: unknown): Promise<boolean> {
  const { name, message } = (error ?? {}) as Partial<Error>;
  if (name !== "ChunkLoadError" && !/dynamically imported|load chunk/i.test(String(message))) return false;
  return fetch("/readyz", { signal: AbortSignal.timeout(5_000) }).then(
    () => true,
    () => false,
  );
}
