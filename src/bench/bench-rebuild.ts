import { fork } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { build } from "esbuild";
import { openBenchFixture, ROOT } from "./bench-fixture";
import { type CheckP99, measureCheckP99 } from "./rebuild/check-p99";
import { fillDatabase } from "./rebuild/fill-database";
import { ERROR_RATE } from "./rebuild/open-engine";
import type { Figures, SideInput } from "./rebuild/side-input";
import { type BenchResult, median } from "./result";

const SMALL = 2_000_000;
const LARGE = 10_000_000;
const SYNTHETIC = 100_000_000;
const ROUNDS = 5;
const SIDE_TIMEOUT_MS = 900_000;
const MB = 1e6;

/**
 * A rebuild of 2M and 10M names against a bare COPY and against a loop in JavaScript, in turns; and
 * the latency of checks during one.
 * @param redisUrl a server with BF.* commands, say; without it a plain one is started
 */
export async function benchRebuild(redisUrl?: string): Promise<BenchResult> {
  const fixture = await openBenchFixture();
  try {
    const side = await bundleSide();
    const urls = new Map<number, string>();
    for (const rows of [SMALL, LARGE]) urls.set(rows, await fillDatabase(fixture, rows));
    const run = (name: SideInput["side"], rows: number) =>
      runSide(side, {
        side: name,
        capacity: rows,
        databaseUrl: urls.get(rows) ?? "",
        redisUrl: redisUrl ?? fixture.redisUrl,
      });
    // Both tables and the programs are in the system's cache from here on.
    for (const rows of [SMALL, LARGE]) await run("copy", rows);
    const rounds: Round[] = [];
    for (let round = 0; round < ROUNDS; round += 1) {
      const [copy, built, loop] = [
        await run("copy", SMALL),
        await run("build", SMALL),
        await run("loop", SMALL),
      ];
      // Each side is first as often as second.
      const large = round % 2 === 0 ? (["copy", "build"] as const) : (["build", "copy"] as const);
      const figures = [await run(large[0], LARGE), await run(large[1], LARGE)];
      if (round % 2 === 1) figures.reverse();
      rounds.push({ copy, built, loop, largeCopy: figures[0]!, largeBuilt: figures[1]! });
    }
    const synthetic = await run("synthetic", SYNTHETIC);
    return summarise(rounds, synthetic, await measureCheckP99(fixture));
  } finally {
    await fixture.close();
  }
}

type Round = Record<"copy" | "built" | "loop" | "largeCopy" | "largeBuilt", Figures>;

function summarise(rounds: Round[], synthetic: Figures, check: CheckP99): BenchResult {
  const of = (pick: (round: Round) => number) => median(rounds.map(pick));
  const perSecond = ({ rows, ms }: Figures) => (rows! / ms!) * 1_000;
  const extraMb = ({ peakRssBytes, filterBytes }: Figures) => (peakRssBytes! - filterBytes!) / MB;
  const last = rounds.at(-1)!.largeBuilt;
  /** What no Bloom filter can go below at this error rate: -ln(error) / ln(2)^2. */
  const leastBits = -Math.log(ERROR_RATE) / Math.LN2 ** 2;
  return {
    bench: "rebuild",
    rates: {
      rebuild2M: of(({ built }) => perSecond(built)),
      rebuild10M: of(({ largeBuilt }) => perSecond(largeBuilt)),
      copy2M: of(({ copy }) => (SMALL / copy.ms!) * 1_000),
      copy10M: of(({ largeCopy }) => (LARGE / largeCopy.ms!) * 1_000),
      loop: of(({ loop }) => perSecond(loop)),
      kernel100M: (SYNTHETIC / synthetic.ms!) * 1_000,
      read10MMs: of(({ largeBuilt }) => largeBuilt.readMs!),
      load10MMs: of(({ largeBuilt }) => largeBuilt.loadMs!),
      peakMemory10MMb: of(({ largeBuilt }) => largeBuilt.peakRssBytes! / MB),
      checkP99QuietMs: check.quietMs,
      checkP99DuringMs: check.duringMs,
      peakMemory100MMb: synthetic.peakRssBytes! / MB,
      falsePositiveRatio: last.falsePositives!,
      falsePositiveLowRatio: last.falsePositivesLow!,
      falsePositiveHighRatio: last.falsePositivesHigh!,
      falsePositiveExpectedRatio: last.falsePositivesExpected!,
    },
    ratios: {
      timeVsCopy: { value: of(({ largeBuilt, largeCopy }) => largeBuilt.ms! / largeCopy.ms!), atMost: 1.8 },
      timeVsCopy2M: { value: of(({ built, copy }) => built.ms! / copy.ms!), atMost: 1.8 },
      timeVsLoop: { value: of(({ built, loop }) => perSecond(loop) / perSecond(built)), atMost: 0.25 },
      time10MOver2M: { value: of(({ largeBuilt, built }) => largeBuilt.ms! / built.ms!), atMost: 5.5 },
      memoryOverFilterMb: {
        value: Math.max(extraMb(synthetic), ...rounds.map(({ largeBuilt }) => extraMb(largeBuilt))),
        atMost: 200,
      },
      bitsVsTheory: { value: of(({ largeBuilt }) => largeBuilt.bitsPerName!) / leastBits, atMost: 1.35 },
      checkP99During: { value: check.ratio, atMost: 2 },
      lostSignups: { value: check.lostSignups, atMost: 0 },
      // The low end of the 95% interval over the configured rate.
      falsePositivesVsConfigured: { value: last.falsePositivesLow! / ERROR_RATE, atMost: 1 },
    },
  };
}

/** Beside the kernel and its readers, as the product's processes are. */
async function bundleSide(): Promise<string> {
  const outfile = join(ROOT, "dist/bench-rebuild.js");
  await build({
    entryPoints: [join(ROOT, "src/bench/rebuild/side.ts")],
    outfile,
    bundle: true,
    packages: "external",
    platform: "node",
    format: "esm",
    target: "node20.19",
    logLevel: "warning",
  });
  return outfile;
}

async function runSide(script: string, input: SideInput): Promise<Figures> {
  const child = fork(script, { env: { PATH: process.env.PATH, NODE_ENV: "production" }, execArgv: [] });
  const timer = setTimeout(() => child.kill("SIGKILL"), SIDE_TIMEOUT_MS);
  try {
    child.send(input);
    const ended = once(child, "exit").then(([code]) => {
      throw new Error(`the side ${input.side} ended with ${code}`);
    });
    const [figures] = (await Promise.race([once(child, "message"), ended])) as [Figures];
    return figures;
  } finally {
    clearTimeout(timer);
    child.kill();
  }
}
