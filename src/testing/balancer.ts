import {
  Agent,
  createServer,
  type IncomingMessage,
  request,
  type Server,
  type ServerResponse,
} from "node:http";
import { setTimeout as sleep } from "node:timers/promises";

type Backend = { url: URL; isReady: boolean };

const agent = new Agent({ keepAlive: true });

/** Sends requests in turns to the backends that answered their last GET /readyz with 200, over kept connections. */
export class Balancer {
  private readonly backends: Backend[];
  private readonly stopped = new AbortController();
  private turn = 0;

  private constructor(
    private readonly server: Server,
    urls: string[],
    probeEveryMs: number,
  ) {
    this.backends = urls.map(url => ({ url: new URL(url), isReady: true }));
    for (const backend of this.backends) void this.probe(backend, probeEveryMs);
  }

  static async start(urls: string[], { probeEveryMs }: { probeEveryMs: number }): Promise<Balancer> {
    const server = createServer((req, res) => balancer.forward(req, res));
    const balancer = new Balancer(server, urls, probeEveryMs);
    await new Promise<void>(resolve => server.listen(0, "127.0.0.1", resolve));
    return balancer;
  }

  get url(): string {
    const { port } = this.server.address() as { port: number };
    return `http://127.0.0.1:${port}`;
  }

  isReady(url: string): boolean {
    return this.backends.some(backend => backend.url.href === new URL(url).href && backend.isReady);
  }

  stop(): void {
    this.stopped.abort();
    this.server.closeAllConnections();
    this.server.close();
  }

  private async probe(backend: Backend, everyMs: number): Promise<void> {
    const { signal } = this.stopped;
    while (!signal.aborted) {
      backend.isReady = await fetch(new URL("/readyz", backend.url)).then(
        answer => answer.ok,
        () => false,
      );
      await sleep(everyMs, undefined, { signal }).catch(() => {});
    }
  }

  private forward(req: IncomingMessage, res: ServerResponse): void {
    const ready = this.backends.filter(backend => backend.isReady);
    this.turn += 1;
    const backend = ready[this.turn % ready.length];
    const failed = () => {
      if (!res.headersSent) res.writeHead(502);
      res.end();
    };
    if (!backend) {
      failed();
      return;
    }
    const { connection, ...headers } = req.headers;
    const onward = request(new URL(req.url!, backend.url), { method: req.method, headers, agent }, answer => {
      const { connection: _, ...kept } = answer.headers;
      res.writeHead(answer.statusCode!, kept);
      answer.pipe(res);
      answer.on("error", failed);
    });
    onward.on("error", failed);
    req.pipe(onward);
  }
}
