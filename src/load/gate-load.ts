import { randomBytes } from "node:crypto";
import { percentile } from "../domain/percentile";
import { AnswerComparer, type Comparison } from "./answer-comparer";
import { isSampled } from "./is-sampled";
import type { GateLoadOptions } from "./options";
import { type Call, createSender } from "./send";

/** The client's own counts of a run, to be compared with the counts of the servers. */
export type GateLoadReport = {
  load: "gate";
  from: string;
  to: string;
  seconds: number;
  /** Answered checks by status. A check that a quota refuses or that fails is not in the servers' counts either. */
  checks: Record<string, number>;
  checksPerSecond: number;
  signups: Record<string, number>;
  signupsPerSecond: number;
  signupP95Ms: number | null;
  /** Answers 429. */
  refused: number;
  /** Requests without an answer, or with one that can't be read. */
  failed: number;
  /** Too many requests were outstanding. */
  notSent: number;
  /** Null without a database. */
  comparison: Comparison | null;
};

const MAX_IN_FLIGHT = 512;
const MAX_TAKEN_NAMES = 10_000;
const TICK_MS = 10;

/**
 * Checks of free and of taken names, and signups, at steady rates through the HTTP API. Ends early when
 * a quota refuses a request: the counts would not be comparable. With a database, each answer is compared with it.
 */
export async function runGateLoad(
  options: GateLoadOptions,
  signal: AbortSignal,
  databaseUrl: string | null = null,
): Promise<GateLoadReport> {
  const comparer = databaseUrl === null ? null : await AnswerComparer.start(databaseUrl);
  const client = new GateClient(options, comparer);
  const startedAt = Date.now();
  await atSteadyRates(options, client, signal);
  const endedAt = Date.now();
  await client.close();
  const seconds = (endedAt - startedAt) / 1_000;
  const { checks, signups, signupMs, refused, failed, notSent } = client;
  return {
    load: "gate",
    from: new Date(startedAt).toISOString(),
    to: new Date(endedAt).toISOString(),
    seconds,
    checks,
    checksPerSecond: round(total(checks) / seconds),
    signups,
    signupsPerSecond: round((signups.created ?? 0) / seconds),
    signupP95Ms: signupMs.length === 0 ? null : round(percentile(signupMs, 0.95)),
    refused,
    failed,
    notSent,
    comparison: comparer ? await comparer.end() : null,
  };
}

async function atSteadyRates(options: GateLoadOptions, client: GateClient, signal: AbortSignal) {
  const startedAt = Date.now();
  let [checks, signups] = [0, 0];
  await new Promise<void>(resolve => {
    const timer = setInterval(() => {
      const seconds = Math.min((Date.now() - startedAt) / 1_000, options.seconds);
      for (; checks < Math.floor(seconds * options.rate); checks += 1) client.check();
      for (; signups < Math.floor(seconds * options.signups); signups += 1) client.signUp();
      if (seconds < options.seconds && !signal.aborted && client.refused === 0) return;
      clearInterval(timer);
      resolve();
    }, TICK_MS);
  });
}

const SIGNUP_OUTCOMES: Record<number, string> = {
  200: "created",
  400: "bad_request",
  409: "conflict",
  503: "busy",
};

/** Sends checks and signups without waiting for the answers, and counts those. */
class GateClient {
  readonly checks: Record<string, number> = {};
  readonly signups: Record<string, number> = {};
  readonly signupMs: number[] = [];
  refused = 0;
  failed = 0;
  notSent = 0;
  private checked = 0;
  private signedUp = 0;
  private readonly run = randomBytes(3).toString("hex");
  private readonly taken: string[] = [];
  private readonly inFlight = new Set<Promise<void>>();
  private readonly sender: ReturnType<typeof createSender>;

  constructor(
    private readonly options: GateLoadOptions,
    private readonly comparer: AnswerComparer | null,
  ) {
    this.sender = createSender(options.url);
  }

  check(): void {
    this.checked += 1;
    const n = this.checked;
    const asksTaken = this.taken.length > 0 && isSampled(n, this.options.taken);
    // Decimal numbers: in base 36 the letter l would look like the digit 1 to the gate.
    const username = asksTaken ? this.taken[n % this.taken.length]! : `free-${this.run}-${n}`;
    const askedAtMs = Date.now();
    const call = { procedure: "username.check", input: { username }, client: this.addressOf(n) };
    this.start(call, data => {
      const status = (data as { status?: unknown } | undefined)?.status;
      if (typeof status !== "string") {
        this.failed += 1;
        return;
      }
      count(this.checks, status);
      this.comparer?.add({ username, status, askedAtMs });
    });
  }

  signUp(): void {
    this.signedUp += 1;
    const username = `load-${this.run}-${this.signedUp}`;
    const input = { username, email: `${username}@example.com`, password: randomBytes(12).toString("hex") };
    const startedAt = performance.now();
    const call = {
      procedure: "account.signUp",
      input,
      mutation: true,
      client: this.addressOf(this.signedUp),
    };
    this.start(call, (_, status) => {
      this.signupMs.push(performance.now() - startedAt);
      count(this.signups, SIGNUP_OUTCOMES[status] ?? "error");
      if (status === 200 && this.taken.length < MAX_TAKEN_NAMES) this.taken.push(username);
    });
  }

  /** Resolves when every request is answered. */
  async close(): Promise<void> {
    await Promise.all(this.inFlight);
    this.sender.close();
  }

  private start(call: Call, onAnswer: (data: unknown, status: number) => void): void {
    if (this.inFlight.size >= MAX_IN_FLIGHT) {
      this.notSent += 1;
      return;
    }
    const request: Promise<void> = this.sender.send(call).then(
      ({ status, data }) => {
        if (status === 429) this.refused += 1;
        else onAnswer(data, status);
      },
      () => {
        this.failed += 1;
      },
    );
    this.inFlight.add(request);
    void request.finally(() => this.inFlight.delete(request));
  }

  /** An address of 198.18.0.0/15, which is reserved for benchmarks. */
  private addressOf(n: number): string | undefined {
    if (this.options.clients === 0) return undefined;
    const client = n % this.options.clients;
    return `198.${18 + ((client >> 16) & 1)}.${(client >> 8) & 255}.${client & 255}`;
  }
}

function count(counts: Record<string, number>, name: string): void {
  counts[name] = (counts[name] ?? 0) + 1;
}

export function total(counts: Record<string, number>): number {
  return Object.values(counts).reduce((sum, one) => sum + one, 0);
}

function round(value: number): number {
  return Math.round(value * 100) / 100;
}
