import { execFile } from "node:child_process";
import { access, mkdtemp, rm, symlink } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";

/** The commit from which people upgrade to this one. Raise it with each release. */
export const PREVIOUS_RELEASE = "c08ae678ae8aeea6d05aaadccc46bb4ad6b25994";
export const THIS_RELEASE = join(import.meta.dirname, "../../..");

const run = promisify(execFile);

/** Whether this clone has the commit: a shallow one lacks it. */
export async function hasPreviousRelease(): Promise<boolean> {
  const found = run("git", ["cat-file", "-e", `${PREVIOUS_RELEASE}^{commit}`], { cwd: THIS_RELEASE });
  return found.then(
    () => true,
    () => false,
  );
}

/**
 * The previous release in a folder of its own, ready to be started. It runs with the packages of this one: another
 * installation would cost CI a minute.
 */
export async function checkOutPreviousRelease(): Promise<{ dir: string; remove(): Promise<void> }> {
  const dir = await mkdtemp(join(tmpdir(), "floodgate-previous-"));
  const archive = join(dir, "release.tar");
  await run("git", ["archive", "--output", archive, PREVIOUS_RELEASE], { cwd: THIS_RELEASE });
  await run("tar", ["-xf", archive, "-C", dir]);
  await symlink(join(THIS_RELEASE, "node_modules"), join(dir, "node_modules"));
  await run("npm", ["run", "generate", "--silent"], { cwd: dir });
  await access(join(dir, "src/filter/build/kernel.wasm"));
  return { dir, remove: () => rm(dir, { recursive: true, force: true }) };
}
