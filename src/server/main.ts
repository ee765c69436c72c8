import next from "next";
import { createLogger } from "../runtime/logger";
import { readEnv } from "../runtime/read-env";
import { onShutdown } from "../runtime/shutdown";
import { serverEnv } from "./env";
import { runServer } from "./run-server";

/** The main of a server process: the API and the pages. */
const env = readEnv(serverEnv, process.env);
const log = createLogger("server", env.LOG_LEVEL);
const web = next({
  dev: process.argv.includes("--dev"),
  dir: process.cwd(),
  hostname: env.HOST,
  port: env.PORT,
});
await web.prepare();
const pages = web.getRequestHandler();
const running = await runServer(env, { log, pages: (req, res) => pages(req, res) });

onShutdown(
  async () => {
    await running.stop();
    await web.close();
  },
  { timeoutMs: 9_000, logger: log },
);
