import { type ChildProcess, spawn } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { findDatabaseUrl } from "../runtime/database-url";
import { freePort } from "../runtime/ports";
import { createPool } from "../store/postgres";
import { ROOT, stop } from "./bench-fixture";
import { readTreeUsage, type TreeUsage } from "./process-tree";
import type { BenchResult } from "./result";

const SYMBOLS = 1_000;
const START_TIMEOUT_MS = 300_000;
/** What a start leaves behind is done by then: the filter's first version, first statistics, compiled code. */
const SETTLE_MS = 120_000;
const MEASURE_MS = 60_000;

/** What all processes of `npm start` use without requests, with the first symbols and with 1,000. */
export async function benchIdle(): Promise<BenchResult> {
  if (!existsSync("/proc/self/smaps_rollup"))
    throw new Error("It reads what processes use from /proc, which only Linux has.");
  const dataDir = await mkdtemp(join(tmpdir(), "floodgate-idle-"));
  const product = spawn(process.execPath, ["--import", "tsx", "src/workers/supervisor.ts"], {
    cwd: ROOT,
    env: { ...process.env, FLOODGATE_DATA_DIR: dataDir, PORT: String(await freePort()) },
    stdio: ["ignore", "pipe", "inherit"],
  });
  try {
    await started(product);
    const few = await measure(product.pid!);
    await listSymbols(findDatabaseUrl(join(dataDir, "database-url")));
    const many = await measure(product.pid!);
    return toResult(few, many);
  } finally {
    await stop(product);
    await rm(dataDir, { recursive: true, force: true });
  }
}

/** Resolves when the product says that it runs. */
function started(product: ChildProcess): Promise<void> {
  return new Promise((resolve, reject) => {
    let output = "";
    const timer = setTimeout(
      () => reject(new Error(`It did not start within ${START_TIMEOUT_MS / 1_000} s:\n${output}`)),
      START_TIMEOUT_MS,
    );
    product.once("exit", code => reject(new Error(`It ended with ${code}:\n${output}`)));
    product.stdout!.on("data", (chunk: Buffer) => {
      output += chunk.toString();
      if (!output.includes("Floodgate is running")) return;
      clearTimeout(timer);
      resolve();
    });
  });
}

/** Shares of a core by process, and the memory at the end. */
type Idle = { shares: Map<string, number>; share: number; residentMb: number };

async function measure(root: number): Promise<Idle> {
  await sleep(SETTLE_MS);
  const startedAt = performance.now();
  const before = readTreeUsage(root, nameOf);
  await sleep(MEASURE_MS);
  const after = readTreeUsage(root, nameOf);
  const seconds = (performance.now() - startedAt) / 1_000;
  const shares = sharesOf(before, after, seconds);
  const share = [...shares.values()].reduce((sum, value) => sum + value, 0);
  return { shares, share, residentMb: after.residentMb };
}

function sharesOf(before: TreeUsage, after: TreeUsage, seconds: number): Map<string, number> {
  return new Map(
    [...after.cpuSeconds].map(([name, used]) => [
      name,
      (used - (before.cpuSeconds.get(name) ?? 0)) / seconds,
    ]),
  );
}

/** "server" of `node dist/server.js`, "postgres" of `/…/bin/postgres -D …`. */
function nameOf(pid: number): string {
  const args = readFileSync(`/proc/${pid}/cmdline`, "utf8").split("\0");
  const script = args.find(arg => arg.endsWith(".js")) ?? args[0]!.split(" ")[0]!;
  return basename(script, ".js");
}

async function listSymbols(url: string): Promise<void> {
  const limits = { maxConnections: 1, connectTimeoutMs: 10_000, statementTimeoutMs: 60_000 };
  const pool = createPool({ url, applicationName: "bench", ...limits }, () => {});
  await pool.query(
    `INSERT INTO traded_symbols (symbol, price_decimals, quantity_decimals)
     SELECT 'IDLE' || i, 2, 2 FROM generate_series(1, $1) i`,
    [SYMBOLS],
  );
  await pool.end();
}

function toResult(few: Idle, many: Idle): BenchResult {
  const shares = [...few.shares].flatMap(([name, share]) => [
    [`${name}Share`, share] as const,
    [`${name}With1000SymbolsShare`, many.shares.get(name) ?? 0] as const,
  ]);
  return {
    bench: "idle",
    rates: Object.fromEntries(shares),
    ratios: {
      cpuShareOfCore: { value: few.share, atMost: 0.05 },
      cpuShareWith1000Symbols: { value: many.share, atMost: few.share + 0.02 },
      residentMb: { value: few.residentMb, atMost: 900 },
    },
  };
}
