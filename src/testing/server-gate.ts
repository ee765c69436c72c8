import { TRPCClientError } from "@trpc/client";
import { shardOf } from "../filter/layout";
import type { RelayEnv } from "../process/relay-env";
import type { ServerEnv } from "../process/server-env";
import { createTestDatabase, type TestDatabase } from "./test-database";
import { apiClient, startTestServer, startTestWorkers, type Urls, waitForFilter } from "./test-gate";
import { TestRedis } from "./test-redis";
import { waitFor } from "./wait-for";

export type TestServer = Awaited<ReturnType<typeof startTestServer>>;

export type GateOptions = {
  server?: Partial<ServerEnv>;
  relay?: Partial<RelayEnv>;
  redisArgs?: string[];
  /** The URLs of the server; the relay always gets the real ones. */
  serverUrls?: (real: Urls) => Urls | Promise<Urls>;
};

/** Deadlines that a busy machine does not miss, for tests about answers and not about time. */
export const LONG_DEADLINES = { FILTER_TIMEOUT_MS: 2_000, CONFIRM_DEADLINE_MS: 5_000 };

/** The deadlines of production. */
export const PRODUCTION_DEADLINES = { FILTER_TIMEOUT_MS: 80, CONFIRM_DEADLINE_MS: 200 };

/** A whole gate of a test file's own: Postgres database, Redis, relay, server, and a filter that is built. */
export class TestGate {
  private relay: { stop(): Promise<void> } | null = null;

  private constructor(
    readonly database: TestDatabase,
    readonly redis: TestRedis,
    readonly server: TestServer,
    private readonly options: GateOptions,
  ) {}

  static async start(options: GateOptions = {}): Promise<TestGate> {
    const [database, redis] = await Promise.all([createTestDatabase(), TestRedis.start(options.redisArgs)]);
    const real = { databaseUrl: database.url, redisUrl: redis.url };
    const urls = (await options.serverUrls?.(real)) ?? real;
    const server = await startTestServer(urls, { ...LONG_DEADLINES, ...options.server });
    const gate = new TestGate(database, redis, server, options);
    gate.startRelay();
    await waitForFilter(gate.server);
    return gate;
  }

  get urls(): Urls {
    return { databaseUrl: this.database.url, redisUrl: this.redis.url };
  }

  /** Does nothing while one is running. */
  startRelay(): void {
    this.relay ??= startTestWorkers(this.urls, { relay: this.options.relay });
  }

  /** From here on the filter is neither repaired nor added to. */
  async stopRelay(): Promise<void> {
    await this.relay?.stop();
    this.relay = null;
  }

  /** A stock client with an address that no other client has. */
  client(options: { batch?: boolean; cookie?: string; address?: string } = {}) {
    return apiClient(this.server.url, { address: nextAddress(), ...options });
  }

  check(username: string) {
    return this.client().username.check.query({ username });
  }

  signUp(person: Person) {
    return this.client().account.signUp.mutate(person);
  }

  /** Waits until the relay has brought every event into the filter. */
  async delivered(): Promise<void> {
    await waitFor("the outbox to be empty", async () => (await this.pendingEvents()) === 0);
  }

  async pendingEvents(): Promise<number> {
    const { rows } = await this.database.pool.query(
      "SELECT count(*)::int AS count FROM outbox WHERE processed_at IS NULL AND dead_at IS NULL",
    );
    return rows[0].count;
  }

  async count(table: "users" | "outbox" | "sessions" | "accounts", where = "true"): Promise<number> {
    const { rows } = await this.database.pool.query(
      `SELECT count(*)::int AS count FROM ${table} WHERE ${where}`,
    );
    return rows[0].count;
  }

  async stop(): Promise<void> {
    this.redis.resume();
    await this.stopRelay();
    await this.server.stop();
    await this.database.drop();
    await this.redis.remove();
  }
}

let addresses = 0;

/** A client address that no other call has returned: each simulated client has quotas of its own. */
export function nextAddress(): string {
  addresses += 1;
  return `10.${(addresses >> 16) & 255}.${(addresses >> 8) & 255}.${addresses & 255}`;
}

export type Person = { username: string; email: string; password: string };

let people = 0;

/** A person who wants this username, with a unique e-mail address. */
export function newPerson(username: string, overrides: Partial<Person> = {}): Person {
  people += 1;
  return {
    username,
    email: `person${people}@example.com`,
    password: "correct horse battery staple",
    ...overrides,
  };
}

/** Another valid name whose shard is the one of `key`. */
export function nameInShardOf(key: string, prefix = "near"): string {
  for (let n = 0; ; n += 1) if (shardOf(`${prefix}${n}`) === shardOf(key)) return `${prefix}${n}`;
}

export type ApiFailure = {
  code: string;
  httpStatus: number;
  message: string;
  requestId?: string;
  details: { field?: string; rule?: string; suggestions?: string[]; retryAfterMs?: number };
};

/** How a call failed, as a stock client sees it. Rejects when the call succeeds or the network fails. */
export async function failureOf(call: Promise<unknown>): Promise<ApiFailure> {
  const outcome = await call.then(
    value => ({ value }),
    (error: unknown) => ({ error }),
  );
  if ("value" in outcome) throw new Error(`the call succeeded: ${JSON.stringify(outcome.value)}`);
  const { error } = outcome;
  if (!(error instanceof TRPCClientError) || !error.data) throw error;
  return { ...error.data, message: error.message };
}
