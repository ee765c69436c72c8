import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { PASSWORD, StaffFixture } from "../testing/staff";

let fixture: StaffFixture;
let people = 0;

beforeAll(async () => {
  fixture = await StaffFixture.start();
  await fixture.insert("admin", "adele");
});
afterAll(() => fixture.stop());
afterEach(() => fixture.database.pool.query("DROP FUNCTION IF EXISTS raise_fault() CASCADE"));

/** The first `times` inserts into the table fail with this code. A sequence counts: it is not rolled back. */
async function raise(table: string, code: string, times = 1_000): Promise<void> {
  await fixture.database.pool.query(`
    CREATE SEQUENCE IF NOT EXISTS fault_count;
    ALTER SEQUENCE fault_count RESTART;
    CREATE OR REPLACE FUNCTION raise_fault() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN
      IF nextval('public.fault_count') <= ${times} THEN RAISE EXCEPTION 'a fault' USING ERRCODE = '${code}'; END IF;
      RETURN NEW;
    END $$;
    CREATE TRIGGER raise_fault BEFORE INSERT ON ${table} FOR EACH ROW EXECUTE FUNCTION raise_fault();
  `);
}

async function signUp() {
  people += 1;
  const username = `signer${people}`;
  const answer = await fixture.call("account.signUp", {
    username,
    email: `${username}@example.com`,
    password: PASSWORD,
  });
  const { rows } = await fixture.database.pool.query(
    "SELECT count(*)::int AS n FROM users WHERE username = $1",
    [username],
  );
  return { status: answer.status, text: answer.text, made: rows[0].n as number };
}
const signIn = () => fixture.signIn({ username: "adele", password: PASSWORD });
const isServed = async () => (await fixture.ask("account.me", undefined)).status;

const BUSY = ["57P01", "53300", "53100", "08006", "25006", "57014", "55P03", "58030"];

describe("while the database raises", () => {
  it.each([...BUSY, "40001", "40P01"])(
    "%s, a sign-up is answered with busy, and nothing is made",
    async code => {
      await raise("users", code);
      const answer = await signUp();
      expect([answer.status, answer.made]).toEqual([503, 0]);
      expect(answer.text).toContain("retryAfterMs");
      await fixture.database.pool.query("DROP FUNCTION raise_fault() CASCADE");
      expect(await signUp()).toMatchObject({ status: 200, made: 1 });
    },
  );

  it.each([...BUSY, "40001"])("%s, a sign-in is answered with busy", async code => {
    await raise("sessions", code);
    expect((await signIn()).status).toBe(503);
    await fixture.database.pool.query("DROP FUNCTION raise_fault() CASCADE");
    expect((await signIn()).status).toBe(200);
  });

  it.each(["40001", "40P01"])("%s twice, sign-up and sign-in succeed", async code => {
    await raise("users", code, 2);
    expect(await signUp()).toMatchObject({ status: 200, made: 1 });
    await fixture.database.pool.query("DROP FUNCTION raise_fault() CASCADE");
    await raise("sessions", code, 2);
    expect((await signIn()).status).toBe(200);
  });

  it("an error that does not pass, the answer is an internal error", async () => {
    await raise("users", "XX000");
    expect((await signUp()).status).toBe(500);
    expect(await isServed()).toBe(200);
  });
});
