import { afterAll, beforeAll, expect, it } from "vitest";
import { matchReserved, type ReservedWord } from "../../domain/username/reserved-words";
import { readUsername } from "../../domain/username/username-policy";
import { createTestDatabase, type TestDatabase } from "../../testing/test-database";
import { dryRunReservedWord } from "./dry-run-reserved-word";

const SMALL_CAPITAL_ADMIN = "\u1d00\u1d05\u1d0d\u026a\u0274";
const NAMES = [
  "adm1n",
  "ad-min",
  "adrnin",
  "\u00e1dmin",
  SMALL_CAPITAL_ADMIN,
  "official_support",
  "support-team",
  "5upport.team",
  "team-rocket",
  "support_admin_one",
  "badminton",
  "my-5taff",
  "modern",
  "mod-squad",
  "bill_gates",
  "bi11.ing5",
];
const SKELETON_WORDS = ["admin", "official", "support", "team"];

let database: TestDatabase;

beforeAll(async () => {
  database = await createTestDatabase();
  for (const name of NAMES) {
    const verdict = readUsername(name);
    if (!verdict.ok) throw new Error(`${name}: ${verdict.rule}`);
    const { username, key, skeleton, policyVersion } = verdict;
    await database.pool.query(
      `INSERT INTO users (username, username_key, username_skeleton, policy_version, email, name)
       VALUES ($1, $2, $3, $4, gen_random_uuid() || '@example.com', $1)`,
      [username, key, skeleton, policyVersion],
    );
  }
  await database.prisma.reservedWord.deleteMany();
  await database.prisma.reservedWord.createMany({
    data: SKELETON_WORDS.map(pattern => ({ pattern, kind: "skeleton", reason: "test", createdBy: "test" })),
  });
});

afterAll(() => database.drop());

it.each<[ReservedWord["kind"], string]>([
  ["skeleton", "admin"],
  ["skeleton", "team"],
  ["skeleton", "support"],
  ["skeleton", "one"],
  ["skeleton", "mod"],
  ["contains", "staff"],
  ["contains", "sup-port"],
  ["contains", "billings"],
  ["contains", "mod"],
  ["exact", "modern"],
  ["exact", "modem"],
])("counts the names that the matcher refuses for %s %s", async (kind, pattern) => {
  const word = { pattern, kind, reason: "" };
  // Only words of its own kind refuse names together with it.
  const others = SKELETON_WORDS.filter(other => kind === "skeleton" && other !== pattern).map(
    (other): ReservedWord => ({ pattern: other, kind, reason: "" }),
  );
  const refused = NAMES.filter(raw => {
    const name = readUsername(raw);
    return name.ok && matchReserved(others.concat(word), name) && !matchReserved(others, name);
  });
  const dryRun = await dryRunReservedWord(database.prisma, word);
  expect(dryRun.examples.toSorted()).toEqual(refused.toSorted());
  expect(dryRun).toMatchObject({ blocked: refused.length, complete: true });
});
