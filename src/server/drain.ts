import type { Server } from "node:http";
import { setTimeout as sleep } from "node:timers/promises";
import type { Health } from "../runtime/health";

/** Requests that run at the end get so long, milliseconds. */
const LAST_REQUESTS_MS = 5_000;
const STOPPING = "This server is stopping: send requests to another one.";

/**
 * How a server leaves a group of servers without failing a request:
 *
 *   begin ─▶ not ready; still serves, and closes each connection with its answer
 *         ─▶ after `drainMs`, when balancers have noticed: streams end, so that clients reconnect elsewhere
 *         ─▶ the socket closes, and the running requests end
 */
export class Drain {
  private hasBegun = false;
  private readonly streamsEnd = new AbortController();

  /** Aborts when streams have to end; their clients reconnect. */
  get streamsSignal(): AbortSignal {
    return this.streamsEnd.signal;
  }

  /** Whether a connection ends with its next answer. */
  get closesConnections(): boolean {
    return this.hasBegun;
  }

  /** The health that balancers see. */
  async readiness<T extends Health>(health: Promise<T>): Promise<T> {
    const found = await health;
    if (!this.hasBegun) return found;
    return { ...found, status: "down", problems: [STOPPING].concat(found.problems) };
  }

  /** Resolves when the server is closed. */
  async run(server: Server, drainMs: number): Promise<void> {
    this.hasBegun = true;
    if (server.listening) await sleep(drainMs);
    this.streamsEnd.abort();
    const closed = new Promise(resolve => server.close(resolve));
    server.closeIdleConnections();
    await Promise.race([closed, sleep(LAST_REQUESTS_MS, undefined, { ref: false })]);
    server.closeAllConnections();
  }
}
