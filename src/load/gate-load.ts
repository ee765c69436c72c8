import { randomBytes } from "node:crypto";
import { fallsToRatio } from "./falls-to-ratio";
import { Judge, type Judgement } from "./judge";
import type { LoadOptions } from "./options";
import { type Call, createSender } from "./send";

/** What this side has seen, to be compared with what the servers have counted. */
export type LoadReport = {
  load: "gate";
  from: string;
  to: string;
  seconds: number;
  /** Answered checks by status; those refused by a quota or failed were never checks to the server. */
  checks: Record<string, number>;
  checksPerSecond: number;
  signups: Record<string, number>;
  signupsPerSecond: number;
  signupP95Ms: number | null;
  /** Answers 429. */
  refused: number;
  /** No answer, or one that is no answer of ours. */
  failed: number;
  /** Not sent, since too many were on their way already. */
  heldBack: number;
  /** How the answers compare with the database; null when they were not compared. */
  judgement: Judgement | null;
};

const MAX_IN_FLIGHT = 512;
const MAX_REMEMBERED = 10_000;
const WATERMARK_INTERVAL_MS = 10;

/**
 * Checks of free and of taken names, and signups, at steady rates through the HTTP API. Ends early when
 * a quota refuses: the counts would say nothing. With a database, every answer is compared with it.
 */
export async function runGateLoad(
  options: LoadOptions,
  signal: AbortSignal,
  databaseUrl: string | null = null,
): Promise<LoadReport> {
  const { send, close } = createSender(options.url);
  const judge = databaseUrl === null ? null : await Judge.start(databaseUrl);
  const run = randomBytes(3).toString("hex");
  const checks: Record<string, number> = {};
  const signups: Record<string, number> = {};
  const signupMs: number[] = [];
  const taken: string[] = [];
  const inFlight = new Set<Promise<void>>();
  let [asked, signedUp, refused, failed, heldBack] = [0, 0, 0, 0, 0];

  const client = (n: number) => (options.clients > 0 ? addressOf(n % options.clients) : undefined);
  const start = (call: Call, onAnswer: (data: unknown, status: number) => void) => {
    if (inFlight.size >= MAX_IN_FLIGHT) {
      heldBack += 1;
      return;
    }
    const running: Promise<void> = send(call).then(
      ({ status, data }) => {
        if (status === 429) refused += 1;
        else onAnswer(data, status);
      },
      () => {
        failed += 1;
      },
    );
    inFlight.add(running);
    void running.finally(() => inFlight.delete(running));
  };

  // Digits alone: 1 and l would look alike to the gate.
  const check = () => {
    asked += 1;
    const asksTaken = taken.length > 0 && fallsToRatio(asked, options.taken);
    const username = asksTaken ? taken[asked % taken.length]! : `free-${run}-${asked}`;
    const askedAtMs = Date.now();
    start({ procedure: "username.check", input: { username }, client: client(asked) }, data => {
      const status = (data as { status?: unknown } | undefined)?.status;
      if (typeof status !== "string") {
        failed += 1;
        return;
      }
      count(checks, status);
      judge?.add({ username, status, askedAtMs });
    });
  };
  const signUp = () => {
    signedUp += 1;
    const username = `load-${run}-${signedUp}`;
    const input = { username, email: `${username}@example.com`, password: randomBytes(12).toString("hex") };
    const startedAt = performance.now();
    const call = { procedure: "account.signUp", input, mutation: true, client: client(signedUp) };
    start(call, (_, status) => {
      signupMs.push(performance.now() - startedAt);
      count(signups, OUTCOMES[status] ?? "error");
      if (status === 200 && taken.length < MAX_REMEMBERED) taken.push(username);
    });
  };

  const startedAt = Date.now();
  await new Promise<void>(resolve => {
    let [checksDue, signupsDue] = [0, 0];
    const timer = setInterval(() => {
      const seconds = Math.min((Date.now() - startedAt) / 1_000, options.seconds);
      for (; checksDue < Math.floor(seconds * options.rate); checksDue += 1) check();
      for (; signupsDue < Math.floor(seconds * options.signups); signupsDue += 1) signUp();
      if (seconds < options.seconds && !signal.aborted && refused === 0) return;
      clearInterval(timer);
      resolve();
    }, WATERMARK_INTERVAL_MS);
  });
  const endedAt = Date.now();
  await Promise.all(inFlight);
  close();
  const judgement = judge ? await judge.end() : null;
  const seconds = (endedAt - startedAt) / 1_000;
  return {
    load: "gate",
    from: new Date(startedAt).toISOString(),
    to: new Date(endedAt).toISOString(),
    seconds,
    checks,
    checksPerSecond: round(total(checks) / seconds),
    signups,
    signupsPerSecond: round((signups.created ?? 0) / seconds),
    signupP95Ms: percentile(signupMs, 0.95),
    refused,
    failed,
    heldBack,
    judgement,
  };
}

const OUTCOMES: Record<number, string> = { 200: "created", 400: "bad_request", 409: "conflict", 503: "busy" };

/** From 198.18.0.0/15, which is set aside for benchmarks. */
function addressOf(n: number): string {
  return `198.${18 + ((n >> 16) & 1)}.${(n >> 8) & 255}.${n & 255}`;
}

function count(counts: Record<string, number>, name: string): void {
  counts[name] = (counts[name] ?? 0) + 1;
}

export function total(counts: Record<string, number>): number {
  return Object.values(counts).reduce((sum, one) => sum + one, 0);
}

function percentile(values: number[], quantile: number): number | null {
  const sorted = [...values].sort((a, b) => a - b);
  const value = sorted[Math.max(0, Math.ceil(quantile * sorted.length) - 1)];
  return value === undefined ? null : round(value);
}

function round(value: number): number {
  return Math.round(value * 100) / 100;
}
