import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { endFault, raiseFault } from "../testing/raise-fault";
import { PASSWORD, StaffFixture } from "../testing/staff";

let fixture: StaffFixture;
let cookie: string;
let people = 0;

beforeAll(async () => {
  fixture = await StaffFixture.start();
  await fixture.insert("admin", "adele");
  cookie = await fixture.cookieOf("adele");
});
afterAll(() => fixture.stop());
afterEach(() => calm());

const raise = (table: string, code: string, times?: number) =>
  raiseFault(fixture.database.pool, { table, code, times });
const calm = () => endFault(fixture.database.pool);

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
/** A change of the console; the table of its audit row is the last one that it writes. */
async function reserve() {
  people += 1;
  const input = { pattern: `word${people}`, kind: "exact", reason: "a test" };
  const answer = await fixture.call("reserved.add", input, { cookie });
  const made = await fixture.database.prisma.reservedWord.count({ where: { pattern: input.pattern } });
  return { status: answer.status, text: answer.text, made };
}
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
      await calm();
      expect(await signUp()).toMatchObject({ status: 200, made: 1 });
    },
  );

  it.each([...BUSY, "40001"])("%s, a sign-in is answered with busy", async code => {
    await raise("sessions", code);
    expect((await signIn()).status).toBe(503);
    await calm();
    expect((await signIn()).status).toBe(200);
  });

  it.each([...BUSY, "40001", "40P01"])(
    "%s, a change is answered with busy, and nothing is changed",
    async code => {
      for (const table of ["reserved_words", "audit_log"]) {
        await raise(table, code);
        const answer = await reserve();
        expect([answer.status, answer.made], table).toEqual([503, 0]);
        expect(answer.text).toContain("retryAfterMs");
        await calm();
      }
      expect(await reserve()).toMatchObject({ status: 200, made: 1 });
    },
  );

  it.each(["40001", "40P01"])("%s twice, sign-up, sign-in and a change succeed", async code => {
    await raise("audit_log", code, 2);
    expect(await reserve()).toMatchObject({ status: 200, made: 1 });
    await calm();
    await raise("users", code, 2);
    expect(await signUp()).toMatchObject({ status: 200, made: 1 });
    await calm();
    await raise("sessions", code, 2);
    expect((await signIn()).status).toBe(200);
  });

  it("an error that does not pass, the answer is an internal error", async () => {
    await raise("users", "XX000");
    expect((await signUp()).status).toBe(500);
    expect(await isServed()).toBe(200);
  });
});
