import { createServer, type Server, type ServerResponse } from "node:http";
import type { Registry } from "prom-client";
import type { Health } from "./health";
import type { Logger } from "./logger";
import { metricsSetupError } from "./metrics-address";

export type MetricsServerOptions = {
  port: number;
  /** An address of this machine; 127.0.0.1 and ::1 are reached from this machine only. */
  host: string;
  registry: Registry;
  /** `down` makes GET /readyz answer 503; GET /healthz answers 200 while the process lives. */
  health: () => Promise<Health>;
  log: Logger;
  /** Gets a SetupError when the address can't be listened on. */
  onError: (error: Error) => void;
};

/** Serves /metrics in Prometheus' format, /healthz and /readyz. Every client that reaches the port may read them. */
export function startMetricsServer(options: MetricsServerOptions): Server {
  const { port, host, log, onError } = options;
  const server = createServer((req, res) => {
    answer(req.url ?? "/", res, options).catch((err: unknown) => {
      log.error({ err, url: req.url }, "metrics or health could not be read");
      if (!res.headersSent) res.writeHead(500);
      res.end();
    });
  });
  server.on("error", err => {
    log.error({ err, host, port }, "metrics are not served");
    onError(metricsSetupError(err));
  });
  return server.listen(port, host);
}

async function answer(url: string, res: ServerResponse, options: MetricsServerOptions): Promise<void> {
  if (url === "/metrics") {
    const text = await options.registry.metrics();
    res.writeHead(200, { "content-type": options.registry.contentType }).end(text);
  } else if (url === "/healthz" || url === "/readyz") {
    const health = await options.health();
    const status = url === "/readyz" && health.status === "down" ? 503 : 200;
    res.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(health));
  } else {
    res.writeHead(404).end();
  }
}
