import { mkdtempSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, it } from "vitest";
import { findDatabaseUrl, publishDatabaseUrl } from "./database-url";

const dir = mkdtempSync(join(tmpdir(), "floodgate-url-"));
afterAll(() => rmSync(dir, { recursive: true, force: true }));

it("is published for the owner while Floodgate runs, and removed afterwards", () => {
  const file = join(dir, "database-url");
  // The file of a crashed process, readable by all users.
  writeFileSync(file, "postgresql://old", { mode: 0o644 });
  const takeBack = publishDatabaseUrl(file, "postgresql://new");
  expect(statSync(file).mode & 0o777).toBe(0o600);
  expect(findDatabaseUrl(file)).toBe("postgresql://new");
  takeBack();
  expect(() => findDatabaseUrl(file)).toThrow("Floodgate does not run here.");
});
