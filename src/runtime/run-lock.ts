import { closeSync, openSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { z } from "zod";
import { identityOf, isRunning } from "./process-info";

const Owner = z.object({
  pid: z.number().int().positive(),
  startedAt: z.string(),
  url: z.string(),
  /** Kernel start time of the owner, so that a reused pid is not mistaken for it. */
  identity: z.string().optional(),
});
type Owner = z.infer<typeof Owner>;

/** Creating and writing a file are two steps: an unreadable lock younger than this is being written. */
const WRITE_MS = 2_000;

/**
 * Takes the lock file or throws "Floodgate is already running at …". Of concurrent starts exactly one
 * succeeds. A lock whose owner has ended is taken over. Returns the function that releases it.
 */
export async function takeRunLock(file: string, url: string): Promise<() => void> {
  const identity = identityOf(process.pid);
  const mine: Owner = { pid: process.pid, startedAt: new Date().toISOString(), url, identity };
  for (;;) {
    if (createFile(file, mine)) break;
    const owner = readOwner(file);
    if (owner === "being written") {
      await sleep(50);
      continue;
    }
    if (owner === "absent") continue;
    if (owner !== "broken" && isAlive(owner)) {
      throw new Error(`Floodgate is already running at ${owner.url} (pid ${owner.pid})`);
    }
    if (takeOver(file, mine)) break;
    await sleep(50);
  }
  return () => {
    const owner = readOwner(file);
    if (typeof owner === "object" && owner.pid === mine.pid && owner.identity === identity) rmSync(file);
  };
}

/** `wx` fails when the file exists: the atomic step of the lock. */
function createFile(file: string, owner: Owner): boolean {
  try {
    writeFileSync(file, JSON.stringify(owner), { flag: "wx", mode: 0o644 });
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
    return false;
  }
}

function readOwner(file: string): Owner | "absent" | "being written" | "broken" {
  try {
    const parsed = Owner.safeParse(JSON.parse(readFileSync(file, "utf8") || "{"));
    if (parsed.success) return parsed.data;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return "absent";
    if (!(error instanceof SyntaxError)) throw error;
  }
  return ageMs(file) < WRITE_MS ? "being written" : "broken";
}

function isAlive(owner: Owner): boolean {
  if (owner.identity === undefined) return owner.pid !== process.pid && isRunning(owner.pid);
  return isRunning(owner.pid) && owner.identity === identityOf(owner.pid);
}

/**
 * Replaces a stale lock. Without the guard file a second process could replace the new lock of the first;
 * the guarded code is synchronous, so an old guard belongs to a killed process.
 */
function takeOver(file: string, mine: Owner): boolean {
  const guard = `${file}.takeover`;
  try {
    closeSync(openSync(guard, "wx"));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
    if (ageMs(guard) > WRITE_MS) rmSync(guard, { force: true });
    return false;
  }
  try {
    const owner = readOwner(file);
    if (owner === "absent" || owner === "being written") return false;
    if (owner !== "broken" && isAlive(owner)) return false;
    const candidate = `${file}.${process.pid}`;
    writeFileSync(candidate, JSON.stringify(mine), { mode: 0o644 });
    renameSync(candidate, file);
    return true;
  } finally {
    rmSync(guard, { force: true });
  }
}

function ageMs(file: string): number {
  const modifiedAt = statSync(file, { throwIfNoEntry: false })?.mtimeMs;
  return modifiedAt === undefined ? 0 : Date.now() - modifiedAt;
}
