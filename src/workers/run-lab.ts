import { randomUUID } from "node:crypto";
import { hostname } from "node:os";
import { setTimeout as sleep } from "node:timers/promises";
import type { LabResults } from "../domain/lab/lab-run";
import type { KeyChoice, ScenarioFigures } from "../domain/lab/scenario";
import type { Logger } from "../runtime/logger";
import { runLoop } from "../runtime/run-loop";
import { runScenario } from "../scenario/run-scenario";
import { removeSandbox, type Sandbox } from "../scenario/sandbox";
import { failAbandonedRuns } from "../services/lab/fail-abandoned-runs";
import { ClaimedRun, forgetSandbox, listLeftovers } from "../services/lab/work-on-run";
import { createPool, createPrisma } from "../store/postgres";
import { createRedis } from "../store/redis";
import type { LabEnv } from "./order-env";

const LOOK_EVERY_MS = 400;
const REPORT_EVERY_MS = 500;

/** Why a run ended before its end. */
class GivenUp extends Error {}

/** The scenario lab's worker: runs what people ask for in the console, in a sandbox, away from the server. */
export function runLab(env: LabEnv, log: Logger): { stop(): Promise<void> } {
  const owner = `${hostname()}:${process.pid}:${randomUUID().slice(0, 8)}`;
  const warn = (what: string) => (err: unknown) => log.warn({ err }, what);
  const redis = createRedis(
    { url: env.REDIS_URL, connectionName: "floodgate-lab", commandTimeoutMs: 5_000 },
    warn("redis"),
  );
  const pool = createPool(
    {
      ...{ url: env.DATABASE_URL, applicationName: "floodgate lab", maxConnections: 2 },
      ...{ connectTimeoutMs: 5_000, statementTimeoutMs: 5_000 },
    },
    warn("a database connection broke"),
  );
  const prisma = createPrisma(pool);
  const onError = warn("a scenario's request to Redis failed; it is sent again");

  const looking = runLoop({
    name: "lab",
    everyMs: LOOK_EVERY_MS,
    maxBackoffMs: 5_000,
    step: async signal => {
      await failAbandonedRuns(prisma);
      for (const { id, progress } of await listLeftovers(prisma)) {
        await removeSandbox(redis, progress!.sandbox);
        await forgetSandbox(prisma, id);
      }
      const hand = await ClaimedRun.take(prisma, owner);
      if (hand) await workOn(hand, signal);
      return "idle";
    },
    onError: warn("the lab's runs could not be read"),
  });

  async function workOn(hand: ClaimedRun, stopping: AbortSignal): Promise<void> {
    const { id, choices, requestedBy } = hand.run;
    log.info({ run: String(id), requestedBy, choices }, "a scenario begins");
    const results: LabResults = {};
    try {
      for (const choice of choices) results[choice] = await runOne(hand, { choice, results, stopping });
      await hand.end("done", { results });
    } catch (error) {
      if (error instanceof GivenUp) return hand.end("cancelled", { results });
      if (!stopping.aborted) log.error({ err: error, run: String(id) }, "a scenario failed");
      const failure = stopping.aborted
        ? "Its worker was stopped."
        : "It failed; the lab worker's log says why.";
      await hand.end("failed", { results, failure });
    }
  }

  type One = { choice: KeyChoice; results: LabResults; stopping: AbortSignal };

  async function runOne(hand: ClaimedRun, { choice, results, stopping }: One) {
    const givingUp = new AbortController();
    const startMs = Date.now();
    let figures: ScenarioFigures | null = null;
    const report = async (sandbox: Sandbox) => {
      const progress = { choice, elapsedMs: Date.now() - startMs, figures, sandbox };
      if (!(await hand.report(progress, results))) givingUp.abort(new GivenUp());
    };
    let reporting: Promise<void> = Promise.resolve();
    const over = new AbortController();
    try {
      return await runScenario(redis, {
        ...{ choice, options: hand.run.options, onError },
        signal: AbortSignal.any([stopping, givingUp.signal]),
        onProgress: now => {
          figures = now;
        },
        // Told before the first key is written, so that whoever comes after a crash finds them all.
        async onSandbox(sandbox) {
          await report(sandbox);
          reporting = keepReporting(() => report(sandbox), over.signal);
        },
      });
    } catch (error) {
      throw givingUp.signal.aborted ? givingUp.signal.reason : error;
    } finally {
      over.abort();
      await reporting;
    }
  }

  async function keepReporting(report: () => Promise<void>, over: AbortSignal): Promise<void> {
    while (!over.aborted) {
      await sleep(REPORT_EVERY_MS, undefined, { signal: over }).catch(() => {});
      if (!over.aborted) await report().catch(warn("the lab's progress could not be written"));
    }
  }

  log.info({ owner }, "the lab waits for runs");
  return {
    async stop() {
      await looking.stop();
      await prisma.$disconnect();
      await pool.end();
      redis.disconnect();
    },
  };
}
