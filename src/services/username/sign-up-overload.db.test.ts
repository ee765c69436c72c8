import { afterAll, beforeAll, expect, it } from "vitest";
import { failureOf, newPerson, TestGate } from "../../testing/server-gate";
import { metricOf } from "../../testing/test-gate";

const MAX_WAIT_MS = 5;
const PEOPLE = 200;

let gate: TestGate;
beforeAll(async () => {
  gate = await TestGate.start({ server: { SIGNUP_MAX_WAIT_MS: MAX_WAIT_MS, DATABASE_POOL: 4 } });
});
afterAll(() => gate.stop());

it("sign-ups past what can be hashed are told at once when to come back, and none is lost", async () => {
  const outcomes = await Promise.allSettled(
    Array.from({ length: PEOPLE }, (_, i) => gate.signUp(newPerson(`crowd${i}`))),
  );
  const created = outcomes.filter(({ status }) => status === "fulfilled").length;
  const failures = await Promise.all(
    outcomes.flatMap(outcome =>
      outcome.status === "rejected" ? [failureOf(Promise.reject(outcome.reason))] : [],
    ),
  );
  expect(created).toBeGreaterThan(0);
  expect(failures.length).toBeGreaterThan(0);
  for (const { code, details } of failures) {
    expect(code).toBe("SERVICE_UNAVAILABLE");
    expect(details.retryAfterMs).toBeGreaterThan(MAX_WAIT_MS);
  }
  const { rows } = await gate.database.pool.query(
    "SELECT count(*)::int AS count FROM users WHERE username_key LIKE 'crowd%'",
  );
  expect(rows[0].count).toBe(created);
  expect(await metricOf(gate.server.registry, "signups_waiting")).toBe(0);
  // Whoever comes back gets the name.
  const later = outcomes.findIndex(({ status }) => status === "rejected");
  await gate.signUp(newPerson(`crowd${later}`));
});
