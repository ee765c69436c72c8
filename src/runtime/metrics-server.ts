import { createServer, type Server } from "node:http";
import type { Registry } from "prom-client";
import type { Logger } from "./logger";

/** Serves GET /metrics in Prometheus' format, on this machine only and apart from what people reach. */
export function startMetricsServer(port: number, registry: Registry, log: Logger): Server {
  const server = createServer((req, res) => {
    if (req.url !== "/metrics") {
      res.writeHead(404).end();
      return;
    }
    registry.metrics().then(
      text => res.writeHead(200, { "content-type": registry.contentType }).end(text),
      err => {
        log.error({ err }, "metrics could not be collected");
        res.writeHead(500).end();
      },
    );
  });
  server.on("error", err => log.error({ err, port }, "metrics are not served"));
  return server.listen(port, "127.0.0.1");
}
