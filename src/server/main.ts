import next from "next";
import { runMain } from "../process/run-main";
import { serverEnv } from "../process/server-env";
import { readPageBuild } from "./page-assets";
import { runServer } from "./run-server";
import { SupervisedProcesses } from "./supervised-processes";

/** The main of a server process: the API and the pages. */
const processes = new SupervisedProcesses(process);
runMain("server", serverEnv, async (env, log) => {
  const isDev = process.argv.includes("--dev");
  const web = next({
    dev: isDev,
    dir: process.cwd(),
    hostname: env.HOST,
    port: env.PORT,
  });
  await web.prepare();
  const pages = web.getRequestHandler();
  const build = isDev ? null : await readPageBuild(".next");
  const running = await runServer(env, { log, processes, build, pages: (req, res) => pages(req, res) });
  return {
    done: running.done,
    async stop() {
      await running.stop();
      await web.close();
    },
  };
});
