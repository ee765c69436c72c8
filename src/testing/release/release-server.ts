import { join } from "node:path";
import { pathToFileURL } from "node:url";

/** The server of the release in the current folder, without pages: what its main does besides them. */
const load = (path: string) => import(pathToFileURL(join(process.cwd(), path)).href);
const { runMain } = await load("src/process/run-main.ts");
const { serverEnv } = await load("src/process/server-env.ts");
const { runServer } = await load("src/server/run-server.ts");

runMain("server", serverEnv, (env: unknown, log: unknown) =>
  runServer(env, {
    log,
    pages: async (_: unknown, res: import("node:http").ServerResponse) => void res.writeHead(404).end(),
  }),
);
