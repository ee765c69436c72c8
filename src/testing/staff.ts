import { randomUUID } from "node:crypto";
import type { Role } from "../domain/access/permissions";
import { readUsername } from "../domain/username/username-policy";
import type { ServerEnv } from "../process/server-env";
import { createToken, type NewToken } from "../services/access/create-token";
import { hashPassword } from "../services/access/hash-password";
import type { AuditContext } from "../services/audit/write-audit";
import type { Pool, PrismaClient } from "../store/postgres";
import { nextAddress, type TestServer } from "./server-gate";
import { postJson, type RawAnswer, rawRequest } from "./server-raw-http";
import { createTestDatabase, type TestDatabase } from "./test-database";
import { startTestServer } from "./test-gate";
import { TestRedis } from "./test-redis";

export const PASSWORD = "correct horse battery staple";
let passwordHash: Promise<string> | undefined;

export type TestUser = { id: string; username: string; email: string };

/** A user with PASSWORD, as sign-up or `npm run user` would leave one. */
export async function insertUser(prisma: PrismaClient, role: Role, username: string): Promise<TestUser> {
  passwordHash ??= hashPassword(PASSWORD);
  const name = readUsername(username);
  if (!name.ok) throw new Error(name.message);
  const id = randomUUID();
  const email = `${id}@example.com`;
  await prisma.user.create({
    data: {
      id,
      username: name.username,
      usernameKey: name.key,
      usernameSkeleton: name.skeleton,
      policyVersion: name.policyVersion,
      email,
      name: name.username,
      role,
      accounts: { create: { accountId: id, providerId: "credential", password: await passwordHash } },
    },
  });
  return { id, username: name.username, email };
}

/** The secret of a new service token. */
export async function insertToken(prisma: PrismaClient, token: Partial<NewToken>): Promise<string> {
  const audit: AuditContext = {
    actor: { kind: "system", id: null, name: "test", role: null },
    action: "token.create",
    requestId: null,
    address: null,
  };
  const { name = "test", role = null, scopes = [], expiresAt = null } = token;
  const { accounts = scopes.includes("orders.submit") ? ["*"] : [] } = token;
  return (await createToken(prisma, audit, { name, role, scopes, accounts, expiresAt })).secret;
}

/** A server with its own database and Redis, and no relay: what staff tests need. */
export class StaffFixture {
  private constructor(
    readonly database: TestDatabase,
    readonly redis: TestRedis,
    readonly server: TestServer,
  ) {}

  /** @param through what the server gets to see of the database's URL */
  static async start(
    env: Partial<ServerEnv> = {},
    through: (databaseUrl: string) => Promise<string> = async url => url,
  ): Promise<StaffFixture> {
    const [database, redis] = await Promise.all([createTestDatabase(), TestRedis.start()]);
    const urls = { databaseUrl: await through(database.url), redisUrl: redis.url };
    return new StaffFixture(database, redis, await startTestServer(urls, env));
  }

  insert(role: Role, username: string): Promise<TestUser> {
    return insertUser(this.database.prisma, role, username);
  }

  signIn(body: object, options: { headers?: Record<string, string>; address?: string; by?: string } = {}) {
    const { headers, address = nextAddress(), by = "username" } = options;
    return postJson(`${this.server.url}/api/auth/sign-in/${by}`, body, {
      "x-forwarded-for": address,
      ...headers,
    });
  }

  /** The Cookie header of a fresh session. */
  async cookieOf(username: string, password = PASSWORD): Promise<string> {
    return cookieFrom(await this.signIn({ username, password }));
  }

  call(path: string, input: unknown, headers: Record<string, string> = {}): Promise<RawAnswer> {
    const all = { "x-forwarded-for": nextAddress(), ...headers };
    return postJson(`${this.server.url}/api/trpc/${path}`, input, all);
  }

  ask(path: string, input: unknown, headers: Record<string, string> = {}): Promise<RawAnswer> {
    const query = input === undefined ? "" : `?input=${encodeURIComponent(JSON.stringify(input))}`;
    const all = { "x-forwarded-for": nextAddress(), ...headers };
    return rawRequest(`${this.server.url}/api/trpc/${path}${query}`, { headers: all });
  }

  async stop(): Promise<void> {
    await this.server.stop();
    await this.database.drop();
    await this.redis.remove();
  }
}

export function cookieFrom(answer: RawAnswer): string {
  const cookies = [answer.headers["set-cookie"] ?? []].flat();
  if (answer.status !== 200 || cookies.length === 0) throw new Error(`${answer.status}: ${answer.text}`);
  return cookies.map(cookie => cookie.split(";", 1)[0]).join("; ");
}

export type AuditRow = Record<
  "actor_kind" | "actor_name" | "role" | "action" | "target" | "outcome" | "reason" | "address",
  string | null
> & { before: unknown; after: unknown };

/** The newest audit rows, newest first. */
export async function auditRows(pool: Pool, where = "true", limit = 50): Promise<AuditRow[]> {
  const { rows } = await pool.query(`SELECT * FROM audit_log WHERE ${where} ORDER BY id DESC LIMIT ${limit}`);
  return rows;
}
