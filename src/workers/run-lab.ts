import { setTimeout as sleep } from "node:timers/promises";
import { Counter, Registry } from "prom-client";
import type { LabResults } from "../domain/lab/lab-run";
import type { KeyChoice, ScenarioFigures } from "../domain/lab/scenario";
import type { LabEnv } from "../process/order-env";
import { ProcessParts, type RunningProcess } from "../process/process-parts";
import { healthOf } from "../runtime/health";
import type { Logger } from "../runtime/logger";
import { runScenario } from "../scenario/run-scenario";
import { removeSandbox, type Sandbox } from "../scenario/sandbox";
import { failAbandonedRuns } from "../services/lab/fail-abandoned-runs";
import { ClaimedRun, forgetSandbox, isRunRequested, listLeftovers } from "../services/lab/work-on-run";
import type { PrismaClient } from "../store/postgres";

const LOOK_EVERY_MS = 1_000;
const CLEAN_UP_EVERY_MS = 3_000;
const REPORT_EVERY_MS = 500;

/** The scenario lab's worker: runs what people request in the console, in a sandbox, away from the server. */
export function runLab(env: LabEnv, log: Logger): RunningProcess {
  const parts = new ProcessParts({
    name: "lab",
    env,
    log,
    database: { maxConnections: 2, statementTimeoutMs: 5_000 },
    redisTimeoutMs: 5_000,
  });
  const registry = new Registry();
  parts.serveMetrics(registry, async () => {
    const problems = parts.isConnected ? [] : ["Redis does not answer: no scenario can run."];
    return healthOf(problems, parts.isConnected);
  });
  const worker = new LabWorker(parts, parts.prisma(), registry);
  parts.loop({
    name: "lab",
    everyMs: LOOK_EVERY_MS,
    maxBackoffMs: 5_000,
    step: signal => worker.runNext(signal),
    failure: "lab runs could not be read",
  });
  parts.loop({
    name: "clean up",
    everyMs: CLEAN_UP_EVERY_MS,
    maxBackoffMs: CLEAN_UP_EVERY_MS,
    step: () => worker.cleanUp(),
    failure: "ended lab runs not cleaned up",
  });
  log.info({ owner: parts.owner }, "lab worker started");
  return parts.running();
}

/** Why a run ended before its end. */
class RunCancelled extends Error {}

type ChoiceInput = { choice: KeyChoice; results: LabResults; stopping: AbortSignal };

const OUTCOMES = ["done", "cancelled", "failed"] as const;
type Outcome = (typeof OUTCOMES)[number];
type RunEnd = { results: LabResults; failure?: string };

class LabWorker {
  private readonly runs: Counter<"outcome">;

  constructor(
    private readonly parts: ProcessParts,
    private readonly prisma: PrismaClient,
    registry: Registry,
  ) {
    this.runs = new Counter({
      name: "lab_runs_total",
      help: "Ended runs of the scenario lab by outcome.",
      labelNames: ["outcome"],
      registers: [registry],
    });
    for (const outcome of OUTCOMES) this.runs.inc({ outcome }, 0);
  }

  /** Runs the next request to its end. */
  async runNext(stopping: AbortSignal): Promise<"idle"> {
    if (!(await isRunRequested(this.parts.pool))) return "idle";
    const claimed = await ClaimedRun.take(this.prisma, this.parts.owner);
    if (claimed) await this.workOn(claimed, stopping);
    return "idle";
  }

  /** Fails the runs of workers that are gone, and removes what they left. */
  async cleanUp(): Promise<"idle"> {
    const { prisma } = this;
    await failAbandonedRuns(prisma);
    for (const { id, progress } of await listLeftovers(prisma)) {
      await removeSandbox(this.parts.redis, progress!.sandbox);
      await forgetSandbox(prisma, id);
    }
    return "idle";
  }

  private async workOn(claimed: ClaimedRun, stopping: AbortSignal): Promise<void> {
    const { log } = this.parts;
    const { id, choices, requestedBy } = claimed.run;
    const run = String(id);
    log.info({ run, requestedBy, choices }, "scenario started");
    const results: LabResults = {};
    try {
      for (const choice of choices)
        results[choice] = await this.runChoice(claimed, { choice, results, stopping });
      await this.end(claimed, "done", { results });
    } catch (error) {
      if (error instanceof RunCancelled) return this.end(claimed, "cancelled", { results });
      if (!stopping.aborted) log.error({ err: error, run }, "scenario failed");
      const failure = stopping.aborted
        ? "Its worker was stopped."
        : "It failed; the lab worker's log says why.";
      await this.end(claimed, "failed", { results, failure });
    }
  }

  private async end(claimed: ClaimedRun, outcome: Outcome, end: RunEnd): Promise<void> {
    await claimed.end(outcome, end);
    this.runs.inc({ outcome });
  }

  private async runChoice(claimed: ClaimedRun, { choice, results, stopping }: ChoiceInput) {
    const cancelling = new AbortController();
    const over = new AbortController();
    const startMs = performance.now();
    let figures: ScenarioFigures | null = null;
    let reporting: Promise<void> = Promise.resolve();
    const report = async (sandbox: Sandbox) => {
      const progress = { choice, elapsedMs: performance.now() - startMs, figures, sandbox };
      if (!(await claimed.report(progress, results))) cancelling.abort(new RunCancelled());
    };
    try {
      return await runScenario(this.parts.redis, {
        choice,
        options: claimed.run.options,
        onError: this.parts.warn("scenario request to Redis failed; it is sent again"),
        signal: AbortSignal.any([stopping, cancelling.signal]),
        onProgress: now => {
          figures = now;
        },
        // Reported before the first key is written, so that all keys are found after a crash.
        onSandbox: async sandbox => {
          await report(sandbox);
          reporting = this.keepReporting(() => report(sandbox), over.signal);
        },
      });
    } catch (error) {
      throw cancelling.signal.aborted ? cancelling.signal.reason : error;
    } finally {
      over.abort();
      await reporting;
    }
  }

  private async keepReporting(report: () => Promise<void>, over: AbortSignal): Promise<void> {
    while (!over.aborted) {
      await sleep(REPORT_EVERY_MS, undefined, { signal: over }).catch(() => {});
      if (!over.aborted) await report().catch(this.parts.warn("lab progress not written"));
    }
  }
}
