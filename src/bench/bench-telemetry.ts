import { readFileSync } from "node:fs";
import { freePort } from "../runtime/ports";
import { SERVER_NODE_FLAGS } from "../runtime/supervise/server-flags";
import { insertUsers, openBenchFixture } from "./bench-fixture";
import { askForFreeNames, filterIsUp, type HttpSide, trpcCheck } from "./check-load";
import { type BenchResult, median } from "./result";

const USERS = 200_000;
/** Many short turns: what else the machine does meanwhile hits both sides alike. */
const ROUNDS = 20;
const SECONDS_PER_SIDE = 2;

type Side = HttpSide & { pid: number };
type Turn = { perSecond: number; perCpuSecond: number };

/**
 * username.check on two servers that differ in one thing: whether they count and flush. The ratio is of
 * checks per second that the server's process was on a CPU: with a CPU of its own that is its
 * throughput, and without one it is what its throughput would be.
 */
export async function benchTelemetry(): Promise<BenchResult> {
  const fixture = await openBenchFixture();
  try {
    await insertUsers(fixture.pool, USERS);
    await fixture.pool.query("TRUNCATE outbox");
    const urls = { DATABASE_URL: fixture.databaseUrl, REDIS_URL: fixture.redisUrl };
    await fixture.run(["dist/relay.js"], urls);
    await fixture.run(["dist/filter.js"], urls);
    const open = async (name: "on" | "off"): Promise<Side> => {
      const port = await freePort();
      const env = {
        DATABASE_URL: fixture.databaseUrl,
        REDIS_URL: fixture.redisUrl,
        AUTH_SECRET: "a secret that only a benchmark uses!!",
        PORT: `${port}`,
        TRUSTED_PROXY_HOPS: "1",
        TELEMETRY: name,
      };
      const url = `http://127.0.0.1:${port}`;
      const { pid } = await fixture.run([...SERVER_NODE_FLAGS, "dist/server.js"], env, `${url}/healthz`);
      await filterIsUp(port);
      return { name, url, path: trpcCheck, pid: pid! };
    };
    const [on, off] = [await open("on"), await open("off")];
    for (const side of [on, off, on, off]) await askForFreeNames(side, 3);

    const rounds: Record<string, Turn>[] = [];
    for (let round = 0; round < ROUNDS; round += 1) {
      const turns: Record<string, Turn> = {};
      // Each side is first as often as second.
      for (const side of round % 2 === 0 ? [on, off] : [off, on]) turns[side.name] = await turn(side);
      rounds.push(turns);
    }
    const rate = (name: string, of: keyof Turn) => median(rounds.map(round => round[name]![of]));
    return {
      bench: "telemetry",
      rates: {
        on: rate("on", "perSecond"),
        off: rate("off", "perSecond"),
        onPerCpuSecond: rate("on", "perCpuSecond"),
        offPerCpuSecond: rate("off", "perCpuSecond"),
      },
      ratios: {
        onVsOff: {
          value: median(rounds.map(round => round.on!.perCpuSecond / round.off!.perCpuSecond)),
          atLeast: 0.95,
        },
      },
    };
  } finally {
    await fixture.close();
  }
}

async function turn(side: Side): Promise<Turn> {
  const [cpuBefore, startedAt] = [cpuSeconds(side.pid), performance.now()];
  const perSecond = await askForFreeNames(side, SECONDS_PER_SIDE);
  const seconds = (performance.now() - startedAt) / 1_000;
  const cpu = cpuBefore === null ? seconds : cpuSeconds(side.pid)! - cpuBefore;
  return { perSecond, perCpuSecond: (perSecond * SECONDS_PER_SIDE) / cpu };
}

/** Linux counts in hundredths of a second, see proc(5); null on other systems. */
function cpuSeconds(pid: number): number | null {
  if (process.platform !== "linux") return null;
  const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  return (Number(fields[11]) + Number(fields[12])) / 100;
}
