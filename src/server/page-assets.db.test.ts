import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { serverEnv } from "../process/server-env";
import { freePort } from "../runtime/ports";
import { quietLog } from "../testing/quiet-log";
import { rawRequest } from "../testing/server-raw-http";
import { createTestDatabase, type TestDatabase } from "../testing/test-database";
import { TestRedis } from "../testing/test-redis";
import { waitFor } from "../testing/wait-for";
import { type PageBuild, readPageBuild } from "./page-assets";
import { type RunningServer, runServer } from "./run-server";

let database: TestDatabase;
let redis: TestRedis;
const folders: string[] = [];
const servers: RunningServer[] = [];

beforeAll(async () => {
  [database, redis] = await Promise.all([createTestDatabase(), TestRedis.start()]);
});
afterAll(async () => {
  await Promise.all(servers.map(server => server.stop()));
  await Promise.all(folders.map(folder => rm(folder, { recursive: true })));
  await database.drop();
  await redis.remove();
});

async function makeBuild(id: string, files: Record<string, string>): Promise<PageBuild> {
  const folder = await mkdtemp(join(tmpdir(), "floodgate-build-"));
  folders.push(folder);
  for (const [path, text] of Object.entries({ BUILD_ID: `${id}\n`, ...files })) {
    await mkdir(dirname(join(folder, path)), { recursive: true });
    await writeFile(join(folder, path), text);
  }
  return (await readPageBuild(folder))!;
}

/** A server of this build; its pages are a folder of which it has nothing else than the build's own files. */
async function serve(build: PageBuild): Promise<string> {
  const port = await freePort();
  const env = serverEnv.parse({
    DATABASE_URL: database.url,
    REDIS_URL: redis.url,
    AUTH_SECRET: "a secret that only the tests of this repository use",
    PORT: port,
  });
  const pages = async (_: unknown, res: import("node:http").ServerResponse) =>
    void res.writeHead(404).end("no such page");
  servers.push(await runServer(env, { log: quietLog("server"), pages, build }));
  return `http://127.0.0.1:${port}`;
}

const keptPaths = async () =>
  (await database.pool.query("SELECT path FROM page_assets ORDER BY 1")).rows.map(({ path }) => path);

describe("assets of the builds of the last day", () => {
  let [older, newer] = ["", ""];
  beforeAll(async () => {
    older = await serve(
      await makeBuild("older", { "static/chunks/a-1.js": "older", "static/media/f.woff2": "font" }),
    );
    await waitFor("its assets", async () => (await keptPaths()).length === 2);
    newer = await serve(await makeBuild("newer", { "static/chunks/a-2.js": "newer" }));
    await waitFor("its assets", async () => (await keptPaths()).length === 3);
  });

  it("are served by a newer server to a tab from before the deploy", async () => {
    const script = await rawRequest(`${newer}/_next/static/chunks/a-1.js?dpl=1`);
    expect(script).toMatchObject({
      status: 200,
      text: "older",
      headers: {
        "content-type": "text/javascript; charset=utf-8",
        "cache-control": "public, max-age=31536000, immutable",
        "x-content-type-options": "nosniff",
      },
    });
    const font = await rawRequest(`${newer}/_next/static/media/f.woff2`);
    expect([font.text, font.headers["content-type"]]).toEqual(["font", "font/woff2"]);
  });

  it("are served by an older server to a tab of a newer one beside it", async () => {
    expect((await rawRequest(`${older}/_next/static/chunks/a-2.js`)).text).toBe("newer");
  });

  it.each(["chunks/a-3.js", "chunks/../../secrets.json", "chunks/%00", "", "x".repeat(500)])(
    "are not %s, which nobody has",
    async path => {
      expect((await rawRequest(`${newer}/_next/static/${path}`)).status).toBe(404);
    },
  );

  it("are deleted when nobody has served them for a day", async () => {
    await database.pool.query(
      "UPDATE page_assets SET kept_until = now() - interval '1 s' WHERE path LIKE '%a-1.js'",
    );
    await serve(await makeBuild("newest", { "static/chunks/a-4.js": "newest" }));
    await waitFor("the deletion", async () => !(await keptPaths()).some(path => path.endsWith("a-1.js")));
    expect(await keptPaths()).toEqual(expect.arrayContaining(["/_next/static/chunks/a-2.js"]));
  });

  it("answers name the build, and so do pages", async () => {
    const check = await rawRequest(`${newer}/api/trpc/username.check?input=%7B%22username%22%3A%22mia%22%7D`);
    const me = await rawRequest(`${newer}/api/trpc/session.me`);
    expect([check, me].map(({ headers }) => headers["x-floodgate-build"])).toEqual(["newer", "newer"]);
    expect((await rawRequest(`${newer}/`)).headers["server-timing"]).toBe('build;desc="newer"');
  });
});
