import { execFile } from "node:child_process";
import { once } from "node:events";
import { createServer } from "node:http";
import { describe, expect, it } from "vitest";
import { readComposeServices } from "../testing/read-compose";
import { filterEnv } from "./filter-env";
import { aggregatorEnv, engineEnv, labEnv } from "./order-env";
import { relayEnv } from "./relay-env";
import { serverEnv } from "./server-env";

const PROCESSES = {
  server: serverEnv,
  relay: relayEnv,
  filter: filterEnv,
  aggregator: aggregatorEnv,
  engine: engineEnv,
  lab: labEnv,
};
const services = readComposeServices();

/** The exit code of the server's healthcheck, asked of another port. */
function exitCodeOfCheck(port: number): Promise<number> {
  const [, script] = /'(fetch\(.*)'/.exec(services.get("server")!)!;
  return new Promise(resolve => {
    execFile(process.execPath, ["-e", script!.replace("9464", String(port))], error =>
      resolve(error ? Number(error.code) : 0),
    );
  });
}

describe("compose.yaml", () => {
  it("has no service without a check here", () => {
    const known = ["postgres", "redis", "migrate"].concat(Object.keys(PROCESSES));
    expect([...services.keys()].sort()).toEqual(known.sort());
  });

  it.each(Object.entries(PROCESSES))("lets its network reach metrics and health of %s", (name, schema) => {
    const text = services.get(name)!;
    const setting = (variable: string) => new RegExp(`^ {6}${variable}: (.*)$`, "m").exec(text)?.[1];
    const port = setting("METRICS_PORT");
    expect(setting("METRICS_HOST")).toBe("0.0.0.0");
    expect(Object.keys(schema.shape)).toEqual(expect.arrayContaining(["METRICS_HOST", "METRICS_PORT"]));
    expect(text).toMatch(/^ +healthcheck:$/m);
    expect(text).toContain(`fetch("http://127.0.0.1:${port}/readyz")`);
    expect(text).not.toMatch(/healthcheck: \{ disable: true \}/);
  });

  it("has a healthcheck that fails when a process is not ready, or does not answer", async () => {
    let status = 200;
    const server = createServer((_, res) => res.writeHead(status).end()).listen(0, "127.0.0.1");
    await once(server, "listening");
    const { port } = server.address() as { port: number };
    expect(await exitCodeOfCheck(port)).toBe(0);
    status = 503;
    expect(await exitCodeOfCheck(port)).toBe(1);
    server.close();
    await once(server, "close");
    expect(await exitCodeOfCheck(port)).toBe(1);
  });

  it("bounds the WAL that a replication slot holds", () => {
    expect(services.get("postgres")).toMatch(/^ +- max_slot_wal_keep_size=1GB$/m);
  });

  it("has no healthcheck for the migration, which ends", () => {
    expect(services.get("migrate")).toContain("healthcheck: { disable: true }");
  });

  it.each(["postgres", "redis"])("checks the health of %s", name => {
    expect(services.get(name)).toMatch(/healthcheck:\n +test:/);
  });
});
