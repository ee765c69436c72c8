import autocannon from "autocannon";

const CONNECTIONS = 50;
/** Clients by address, so that the limiter stays on and no client reaches its quota. */
const CLIENTS = 50_000;

export type HttpSide = { name: string; url: string; path: (username: string) => string };

/** The path of one username.check, as the signup page's client sends it. */
export function trpcCheck(username: string): string {
  return `/api/trpc/username.check?batch=1&input=${encodeURIComponent(JSON.stringify({ 0: { username } }))}`;
}

let asked = 0;

/** Requests per second that were answered rightly; anything but 200 ends the benchmark. */
export async function askForFreeNames(side: HttpSide, seconds: number): Promise<number> {
  const result = await autocannon({
    url: side.url,
    connections: CONNECTIONS,
    duration: seconds,
    requests: [
      {
        setupRequest(request) {
          asked += 1;
          const client = asked % CLIENTS;
          return {
            ...request,
            path: side.path(`free${asked.toString(36)}`),
            headers: { "x-forwarded-for": `10.${client >> 16}.${(client >> 8) & 255}.${client & 255}` },
          };
        },
      },
    ],
  });
  if (result.non2xx > 0 || result.errors > 0) {
    throw new Error(`${side.name}: ${result.non2xx} answers were not 200, ${result.errors} failed`);
  }
  return result.requests.average;
}

export async function filterIsUp(port: number): Promise<void> {
  for (let tries = 0; tries < 1_200; tries += 1) {
    const health = await fetch(`http://127.0.0.1:${port}/healthz`).then(response => response.json());
    if (health.status === "ok") return;
    await new Promise(resolve => setTimeout(resolve, 50));
  }
  throw new Error("the filter was not built within a minute");
}
