import { expect, it } from "vitest";
import type { PrismaClient } from "../../store/postgres";
import { RefusalLog } from "./record-refusal";
import type { AuditContext } from "./write-audit";

function fixture() {
  const written: { action: string; after?: unknown }[] = [];
  const clock = { ms: 1_000_000 };
  const auditEntry = { create: async ({ data }: { data: (typeof written)[0] }) => void written.push(data) };
  const prisma = { auditEntry } as unknown as PrismaClient;
  return {
    written,
    clock,
    log: new RefusalLog(
      prisma,
      () => {},
      () => clock.ms,
    ),
  };
}

const audit = (address: string, action = "user.view"): AuditContext => ({
  actor: { kind: "anonymous", id: null, name: "anonymous", role: null },
  action,
  requestId: null,
  address,
});
const NOTE = { target: "user.list", reason: "no", outcome: "refused" as const };

it("writes the same attempt once a second and counts the others in the next row", async () => {
  const { written, clock, log } = fixture();
  for (let i = 0; i < 5; i += 1) await log.record(audit("10.0.0.1"), NOTE);
  expect(written).toHaveLength(1);
  await log.record(audit("10.0.0.1", "user.setRole"), NOTE);
  await log.record(audit("10.0.0.2"), NOTE);
  expect(written).toHaveLength(3);
  clock.ms += 1_000;
  await log.record(audit("10.0.0.1"), NOTE);
  expect(written.at(-1)).toMatchObject({ after: { alsoTried: 4 } });
});

it("bounds a flood from many addresses and counts the rows left out", async () => {
  const { written, clock, log } = fixture();
  for (let i = 0; i < 20_000; i += 1) await log.record(audit(`address ${i}`), NOTE);
  expect(written).toHaveLength(5_000);
  clock.ms += 1_000;
  for (let i = 0; i < 100; i += 1) await log.record(audit(`other ${i}`), NOTE);
  expect(written).toHaveLength(5_020);
  expect(written[5_000]).toMatchObject({ after: { alsoTried: 15_000 } });
});

it("never rejects", async () => {
  const failures: unknown[] = [];
  const auditEntry = { create: () => Promise.reject(new Error("no database")) };
  const log = new RefusalLog({ auditEntry } as unknown as PrismaClient, error => failures.push(error));
  await log.record(audit("10.0.0.1"), NOTE);
  expect(failures).toHaveLength(1);
});
