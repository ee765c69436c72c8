import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from "vitest";
import { outboxEvents } from "../testing/outbox-events";
import {
  createTestDatabase,
  insertUserBySql,
  insertUsersBySql,
  type TestDatabase,
} from "../testing/test-database";
import { waitFor } from "../testing/wait-for";
import { claim, complete, fail, releaseClaims } from "./claim";

const LONG_MS = 600_000;

let database: TestDatabase;
beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(() => database.drop());
beforeEach(() => database.pool.query("TRUNCATE users, outbox CASCADE"));
afterEach(() => vi.useRealTimers());

const take = (relay: string, limit = 100, leaseMs = LONG_MS) =>
  claim(database.pool, { relay, limit, leaseMs });
const keysOf = (rows: { payload: unknown }[]) => rows.map(row => (row.payload as { key: string }).key);

describe("claiming", () => {
  it("finds a row that commits late with a lower seq", async () => {
    const slow = await database.pool.connect();
    await slow.query("BEGIN");
    await insertUserBySql(slow, "early-seq");
    await insertUserBySql(database.pool, "late-seq");

    const first = await take("relay");
    expect(keysOf(first)).toEqual(["late-seq"]);
    expect(
      await complete(
        database.pool,
        first.map(row => row.seq),
      ),
    ).toBe(1);
    await slow.query("COMMIT");
    slow.release();

    const second = await take("relay");
    expect(keysOf(second)).toEqual(["early-seq"]);
    expect(Number(second[0]!.seq)).toBeLessThan(Number(first[0]!.seq));
  });

  it("returns the oldest rows first", async () => {
    await insertUsersBySql(database.pool, "order", 200);
    const rows = [...(await take("relay", 120)), ...(await take("relay", 120))];
    const seqs = rows.map(row => Number(row.seq));
    expect(seqs).toHaveLength(200);
    expect(seqs).toEqual([...seqs].sort((a, b) => a - b));
  });

  it("gives no row to two relays, and never more rows than the limit", async () => {
    await insertUsersBySql(database.pool, "shared", 400);
    const taken = await Promise.all(
      Array.from({ length: 10 }, (_, i) => take(`relay${i}`, 30).then(rows => rows.map(row => row.seq))),
    );
    expect(Math.max(...taken.map(seqs => seqs.length))).toBeLessThanOrEqual(30);
    const rest = (await take("last", 1_000)).map(row => row.seq);
    const all = [...taken.flat(), ...rest];
    expect(all).toHaveLength(400);
    expect(new Set(all).size).toBe(400);
  });

  it.each(["hashjoin", "nestloop", "mergejoin"])(
    "claims no more rows than the limit when the planner must use a %s",
    async only => {
      await insertUsersBySql(database.pool, "planned", 500);
      const client = await database.pool.connect();
      for (const join of ["hashjoin", "nestloop", "mergejoin"])
        await client.query(`SET enable_${join} = ${join === only ? "on" : "off"}`);
      await client.query("SET enable_material = off; SET enable_memoize = off; SET enable_hashagg = off");
      const asPool = client as unknown as typeof database.pool;
      const rows = await claim(asPool, { relay: "relay", limit: 7, leaseMs: LONG_MS });
      client.release(true);
      expect(rows).toHaveLength(7);
      const claimed = (await outboxEvents(database.pool)).filter(event => event.claimedBy !== null);
      expect(claimed).toHaveLength(7);
    },
  );

  it("returns the rows of a crashed relay when its lease has ended, and not before", async () => {
    await insertUsersBySql(database.pool, "leased", 50);
    expect(await take("crashed", 50, 700)).toHaveLength(50);
    expect(await take("next", 50)).toEqual([]);
    let reclaimed = 0;
    // The lease of each row starts at its claim.
    await waitFor("the lease to end", async () => {
      reclaimed += (await take("next", 50)).length;
      return reclaimed === 50;
    });
    expect(await take("third", 50)).toEqual([]);
  });

  it("measures a lease by the database's clock, not by the relay's", async () => {
    await insertUsersBySql(database.pool, "clock", 5);
    vi.useFakeTimers({ toFake: ["Date"], now: Date.now() - 3_600_000 });
    expect(await take("behind", 5, 60_000)).toHaveLength(5);
    vi.setSystemTime(Date.now() + 7_200_000);
    expect(await take("ahead", 5)).toEqual([]);
    const { rows } = await database.pool.query(
      "SELECT bool_and(claimed_until BETWEEN now() AND now() + interval '61 s') AS ok FROM outbox",
    );
    expect(rows[0].ok).toBe(true);
  });

  it("does not wait for rows that another transaction has locked", async () => {
    await insertUsersBySql(database.pool, "locked", 3);
    const client = await database.pool.connect();
    await client.query("BEGIN");
    await client.query("SELECT FROM outbox WHERE payload->>'key' = 'locked1' FOR UPDATE");
    expect(keysOf(await take("relay")).sort()).toEqual(["locked0", "locked2"]);
    await client.query("ROLLBACK");
    client.release();
    expect(keysOf(await take("relay"))).toEqual(["locked1"]);
  });

  it("does not return a row before its next attempt is due", async () => {
    await insertUsersBySql(database.pool, "due", 2);
    const [first, second] = await take("relay");
    const failure = (seq: string, retryInMs: number) => ({
      seq,
      error: "redis is down",
      retryInMs,
      isDataError: false,
      isDead: false,
    });
    await fail(database.pool, [failure(first!.seq, LONG_MS), failure(second!.seq, 1)]);
    await waitFor("the second one to be due", async () => (await take("relay")).length === 1);
    expect(await take("relay")).toEqual([]);
  });
});

describe("ending a claim", () => {
  it("counts a row once that is delivered several times", async () => {
    await insertUsersBySql(database.pool, "twice", 20);
    const seqs = (await take("slow", 20)).map(row => row.seq);
    expect(await complete(database.pool, seqs.slice(0, 12))).toBe(12);
    expect(await complete(database.pool, seqs)).toBe(8);
    expect(await complete(database.pool, seqs)).toBe(0);
    expect(await complete(database.pool, [])).toBe(0);
  });

  it("can't make a processed row pending again", async () => {
    await insertUsersBySql(database.pool, "late", 1);
    const [row] = await take("slow");
    await complete(database.pool, [row!.seq]);
    const late = { seq: row!.seq, error: "too late", retryInMs: 1, isDataError: true, isDead: true };
    await fail(database.pool, [late]);
    expect(await outboxEvents(database.pool)).toMatchObject([{ state: "processed", lastError: null }]);
  });

  it("stores the error of a failure, shortened, and clears it on success", async () => {
    await insertUsersBySql(database.pool, "reason", 1);
    const [row] = await take("relay");
    const failure = {
      seq: row!.seq,
      error: "x\u{1F600}".repeat(2_000),
      retryInMs: 0,
      isDataError: false,
      isDead: false,
    };
    await fail(database.pool, [failure]);
    const [failed] = await outboxEvents(database.pool);
    expect(failed).toMatchObject({ state: "pending", attempts: 1, dataErrors: 0, claimedBy: null });
    expect(failed!.lastError!.length).toBeLessThanOrEqual(500);
    await complete(database.pool, [row!.seq]);
    expect(await outboxEvents(database.pool)).toMatchObject([
      { state: "processed", lastError: null, attempts: 2 },
    ]);
  });

  it("releases the rows of a stopping relay at once, and no other rows", async () => {
    await insertUsersBySql(database.pool, "back", 30);
    const stopping = await take("stopping", 10);
    await take("working", 10);
    await complete(
      database.pool,
      stopping.slice(0, 4).map(row => row.seq),
    );
    await releaseClaims(database.pool, "stopping");
    const free = await take("next", 100);
    expect(free).toHaveLength(16);
    const events = await outboxEvents(database.pool);
    expect(events.filter(event => event.claimedBy === "working")).toHaveLength(10);
    expect(events.filter(event => event.state === "processed")).toHaveLength(4);
  });
});
