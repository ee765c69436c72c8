import next from "next";
import { runMain } from "../process/run-main";
import { serverEnv } from "../process/server-env";
import { runServer } from "./run-server";
import { SupervisedProcesses } from "./supervised-processes";

/** The main of a server process: the API and the pages. */
const processes = new SupervisedProcesses(process);
runMain("server", serverEnv, async (env, log) => {
  const web = next({
    dev: process.argv.includes("--dev"),
    dir: process.cwd(),
    hostname: env.HOST,
    port: env.PORT,
  });
  await web.prepare();
  const pages = web.getRequestHandler();
  const running = await runServer(env, { log, processes, pages: (req, res) => pages(req, res) });
  return {
    done: running.done,
    async stop() {
      await running.stop();
      await web.close();
    },
  };
});
