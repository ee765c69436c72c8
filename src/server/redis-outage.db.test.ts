import { spawnSync } from "node:child_process";
import { monitorEventLoopDelay } from "node:perf_hooks";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import type { GateHealth } from "../api/context";
import { percentile } from "../domain/percentile";
import { failureOf, newPerson, PRODUCTION_DEADLINES, TestGate } from "../testing/server-gate";
import { rawRequest } from "../testing/server-raw-http";
import { insertUsersBySql } from "../testing/test-database";
import { metricOf } from "../testing/test-gate";
import { waitFor } from "../testing/wait-for";

/** FILTER_TIMEOUT_MS + CONFIRM_DEADLINE_MS, and the rest of a check. */
const BUDGET_MS = 300;
const TAKEN = Array.from({ length: 300 }, (_, n) => `held${n}`);

let gate: TestGate;

beforeAll(async () => {
  gate = await TestGate.start({
    redisArgs: ["--appendonly", "yes", "--appendfsync", "always"],
    server: { ...PRODUCTION_DEADLINES, DATABASE_POOL: 10 },
  });
  await insertUsersBySql(gate.database.pool, "held", TAKEN.length);
  await gate.delivered();
  await gate.stopRelay();
});

afterAll(() => gate.stop());

type Outcome = { status: string; source: string | undefined; ms: number };

async function timedCheck(name: string): Promise<Outcome> {
  const startedAt = performance.now();
  const answer = await gate.check(name);
  return {
    status: answer.status,
    source: "source" in answer ? answer.source : undefined,
    ms: performance.now() - startedAt,
  };
}

/** Checks of taken names at a fixed rate, independent of the answers. */
async function steadyChecks(perSecond: number, seconds: number): Promise<Outcome[]> {
  const running: Promise<Outcome>[] = [];
  await new Promise<void>(resolve => {
    const timer = setInterval(() => {
      running.push(timedCheck(TAKEN[running.length % TAKEN.length]!));
      if (running.length < perSecond * seconds) return;
      clearInterval(timer);
      resolve();
    }, 1_000 / perSecond);
  });
  return Promise.all(running);
}

/** Runs `work` and measures the event loop delay of this process. */
async function measured(label: string, work: () => Promise<Outcome[]>) {
  const delay = monitorEventLoopDelay({ resolution: 5 });
  delay.enable();
  const outcomes = await work();
  delay.disable();
  const ms = outcomes.map(outcome => outcome.ms);
  const figures = {
    calls: outcomes.length,
    busy: outcomes.filter(outcome => outcome.status === "busy").length,
    p50: Math.round(percentile(ms, 0.5)),
    p99: Math.round(percentile(ms, 0.99)),
    max: Math.round(Math.max(...ms)),
    loopDelayMax: Math.round(delay.max / 1e6),
  };
  console.log(label, JSON.stringify(figures));
  return { outcomes, figures };
}

function expectNoWrongAnswer(outcomes: Outcome[]) {
  expect(outcomes.filter(({ status }) => status !== "taken" && status !== "busy")).toEqual([]);
}

async function answersByFilterAgain(): Promise<void> {
  await waitFor("the filter to answer again", async () => {
    const answer = await gate.check("a-free-name");
    return answer.status === "available" && answer.source === "filter";
  });
}

async function lookupsServed(): Promise<number> {
  const stats = String(await gate.redis.ask("INFO", "commandstats"));
  return Number(/cmdstat_bitfield_ro:calls=(\d+)/.exec(stats)?.[1] ?? 0);
}

const fallbacks = (reason?: string) =>
  metricOf(gate.server.registry, "db_fallback_total", reason ? { reason } : {});
const health = async () => (await rawRequest(`${gate.server.url}/healthz`)).json as GateHealth;

describe("Redis stops answering under load", () => {
  afterEach(async () => {
    gate.redis.resume();
    await answersByFilterAgain();
  });

  it("killed: checks are answered by the database or with busy, in time, and no call is replayed", async () => {
    await measured("healthy, 50/s:", () => steadyChecks(50, 1));
    const killed = await measured("killed, 50/s:", async () => {
      const running = steadyChecks(50, 3);
      await waitFor("some calls", async () => (await lookupsServed().catch(() => 0)) > 0);
      await gate.redis.kill();
      return running;
    });
    expectNoWrongAnswer(killed.outcomes);
    expect(killed.figures.max).toBeLessThan(BUDGET_MS + 2 * killed.figures.loopDelayMax + 200);
    expect(killed.figures.busy).toBeLessThan(killed.figures.calls / 2);
    expect((await health()).status).toBe("degraded");

    const { current } = gate.server.pointer;
    await gate.redis.run();
    await waitFor("the pointer to be read again", () => gate.server.pointer.ageMs < 200);
    // Counters of a new server: all its calls came after the outage.
    expect(await lookupsServed()).toBe(0);
    expect(gate.server.pointer.current).toEqual(current);
    await answersByFilterAgain();
    expect((await timedCheck(TAKEN[0]!)).status).toBe("taken");
  });

  it("paused: the breaker opens, and checks are answered in time", async () => {
    const servedBefore = await lookupsServed();
    gate.redis.pause();
    const paused = await measured("paused, 50/s:", () => steadyChecks(50, 3));
    expectNoWrongAnswer(paused.outcomes);
    expect(paused.figures.max).toBeLessThan(BUDGET_MS + 2 * paused.figures.loopDelayMax + 200);
    expect(await fallbacks("breaker_open")).toBeGreaterThan(0);
    expect((await health()).problems.join()).toMatch(/Redis does not answer/);
    expect((await health()).filter.openBreakers).toBe(1);

    gate.redis.resume();
    await waitFor("the pointer to be read again", () => gate.server.pointer.ageMs < 200);
    // The calls before the breaker opened, and its few probes: not one per check.
    const served = (await lookupsServed()) - servedBefore;
    console.log("look-ups that a paused Redis found when it woke up:", served);
    expect(served).toBeLessThan(40);
  });

  it("paused, with 300 concurrent checks: queries to the database are bounded, other checks get busy", async () => {
    const healthy = await measured("healthy, burst of 300:", () => Promise.all(TAKEN.map(timedCheck)));
    expectNoWrongAnswer(healthy.outcomes);
    await answersByFilterAgain();
    gate.redis.pause();
    const burst = await measured("paused, burst of 300:", () => Promise.all(TAKEN.map(timedCheck)));
    expectNoWrongAnswer(burst.outcomes);
    // One process is both the 300 clients and the server: the healthy figure includes that cost.
    expect(burst.figures.max).toBeLessThan(
      BUDGET_MS + healthy.figures.max + 2 * burst.figures.loopDelayMax + 500,
    );
    const { rows } = await gate.database.pool.query(
      "SELECT count(*)::int AS count FROM pg_stat_activity WHERE datname = current_database() AND application_name = 'floodgate server'",
    );
    expect(rows[0].count).toBeLessThanOrEqual(10);
    const again = await measured("paused, next 50:", async () => {
      const outcomes: Outcome[] = [];
      for (const name of TAKEN.slice(0, 50)) outcomes.push(await timedCheck(name));
      return outcomes;
    });
    expectNoWrongAnswer(again.outcomes);
    // After the burst few calls are shed.
    expect(again.figures.busy).toBeLessThan(10);
  });

  it("paused: signups work", async () => {
    gate.redis.pause();
    expect(await gate.signUp(newPerson("during-outage"))).toEqual({
      username: "during-outage",
      signedIn: true,
    });
    expect(await failureOf(gate.signUp(newPerson(TAKEN[0]!)))).toMatchObject({
      code: "CONFLICT",
      details: { field: "username" },
    });
    await waitFor("it to be taken", async () => (await gate.check("during-outage")).status === "taken");
    // While its event is pending the filter proves nothing.
    gate.redis.resume();
    gate.startRelay();
    await gate.delivered();
    await gate.stopRelay();
  });
});

describe("an event loop that was blocked for longer than the filter's timeout", () => {
  const LOOKUPS = 20;
  const { FILTER_TIMEOUT_MS } = PRODUCTION_DEADLINES;
  /** Past it ioredis gives the connection up. */
  const LONGEST_BLOCK_MS = 700;

  /**
   * Blocks this event loop for longer than the filter's timeout, and until Redis has served `lookups`
   * or LONGEST_BLOCK_MS have passed. Resolves to whether it has served them.
   */
  function blockUntilServed(lookups: number): boolean {
    const blockedAt = performance.now();
    const ask = `
      const socket = require("node:net").connect(${gate.redis.port}, "127.0.0.1");
      const ask = () => socket.write("INFO commandstats\\r\\n");
      socket.on("data", data => {
        const calls = Number(/cmdstat_bitfield_ro:calls=(\\d+)/.exec(data)?.[1] ?? 0);
        if (calls >= ${lookups}) process.exit(0);
        setTimeout(ask, 5);
      });
      ask();`;
    const timeout = LONGEST_BLOCK_MS - FILTER_TIMEOUT_MS;
    const { status } = spawnSync(process.execPath, ["-e", ask], { timeout, killSignal: "SIGKILL" });
    while (performance.now() < blockedAt + 2 * FILTER_TIMEOUT_MS);
    return status === 0 && performance.now() < blockedAt + LONGEST_BLOCK_MS;
  }

  /** Resolves after the commands of this turn are written and before a reply is read. */
  async function sent(): Promise<void> {
    // A look-up passes a few promises before its command; no reply is read between them.
    for (let n = 0; n < 20; n += 1) await null;
    await new Promise(resolve => setImmediate(resolve));
  }

  /** The answers of look-ups that Redis served while this event loop was blocked; null if it did not. */
  async function answersAfterBlock(): Promise<Set<string> | null> {
    await answersByFilterAgain();
    const before = await lookupsServed();
    let settled = 0;
    const lookups = Array.from({ length: LOOKUPS }, async (_, n) => {
      const { answer } = await gate.server.filter.lookup(`free${n}`);
      settled += 1;
      return answer;
    });
    await sent();
    const isServed = settled === 0 && blockUntilServed(before + LOOKUPS);
    const answers = await Promise.all(lookups);
    return isServed ? new Set(answers) : null;
  }

  it("takes the replies that have arrived, and opens no breaker", async () => {
    // A busy machine serves them late, and look-ups behind a command in flight are not sent before the block.
    let answers: Set<string> | null = null;
    await waitFor("look-ups that are served during the block", async () => {
      answers = await answersAfterBlock();
      return answers !== null;
    });
    expect(answers).toEqual(new Set(["absent"]));
    expect(gate.server.filter.openBreakers).toEqual([]);
  });
});
