import { execFileSync, spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { cpSync, existsSync, mkdirSync, renameSync, rmSync, statSync } from "node:fs";
import { basename, dirname, join } from "node:path";

export type UnixUser = { uid: number; gid: number };

const NAME = "postgres";
/** Replaces folders that the database's user can't reach, such as a checkout under /root. */
const SHARED_ROOT = "/var/lib/floodgate";

/**
 * The user that Postgres runs as; undefined for the current user. Postgres refuses to run as root: then it
 * runs as the owner of an existing cluster, as the user `postgres`, or as a user created for it.
 */
export function postgresUser(clusterDir: string): UnixUser | undefined {
  if (process.getuid?.() !== 0) return undefined;
  const owner = statSync(clusterDir, { throwIfNoEntry: false });
  if (owner !== undefined && owner.uid !== 0) return { uid: owner.uid, gid: owner.gid };
  try {
    return lookUp() ?? addUser();
  } catch (error) {
    throw new Error(
      "Postgres refuses to run as root, and no unprivileged user could be created for it. Start Floodgate " +
        `as an ordinary user, create one with "useradd --system ${NAME}", or set DATABASE_URL.`,
      { cause: error },
    );
  }
}

/**
 * The folder of the cluster: `dir`, or a folder outside the checkout when the user can't reach `dir`. That
 * folder depends on `installation` only and, once created, stays in use.
 */
export function reachableCluster(dir: string, user: UnixUser | undefined, installation: string): string {
  if (user === undefined) return dir;
  const id = createHash("sha256").update(installation).digest("hex").slice(0, 12);
  const elsewhere = join(SHARED_ROOT, id, basename(dir));
  if (existsSync(elsewhere)) return elsewhere;
  if (canEnter(dirname(dir), user)) return dir;
  if (existsSync(join(dir, "PG_VERSION"))) {
    throw new Error(
      `The user ${NAME} can no longer enter ${dir}. Allow it with chmod o+x on its parent folders.`,
    );
  }
  mkdirSync(dirname(elsewhere), { recursive: true, mode: 0o755 });
  return elsewhere;
}

/** `dir` (read-only program files) if the user can reach it, else a copy per version. */
export function reachablePrograms(dir: string, user: UnixUser | undefined, version: string): string {
  if (user === undefined || canEnter(join(dir, "bin"), user)) return dir;
  const copy = join(SHARED_ROOT, `postgres-${version}`);
  if (existsSync(copy)) return copy;
  const unfinished = `${copy}.${process.pid}`;
  mkdirSync(SHARED_ROOT, { recursive: true, mode: 0o755 });
  cpSync(dir, unfinished, { recursive: true, verbatimSymlinks: true });
  try {
    renameSync(unfinished, copy);
  } catch (error) {
    // Another process has created the same copy.
    rmSync(unfinished, { recursive: true, force: true });
    if (!existsSync(copy)) throw error;
  }
  return copy;
}

/** Tries it, since mode bits alone miss parent folders, ACLs and mounts. */
function canEnter(dir: string, user: UnixUser): boolean {
  return (
    spawnSync("/bin/sh", ["-c", 'cd "$1"', "sh", dir], { ...user, cwd: "/", stdio: "ignore" }).status === 0
  );
}

function lookUp(): UnixUser | undefined {
  const id = (flag: string) => spawnSync("id", [flag, NAME], { encoding: "utf8" });
  const [uid, gid] = [id("-u"), id("-g")];
  if (uid.status !== 0 || gid.status !== 0) return undefined;
  return { uid: Number(uid.stdout), gid: Number(gid.stdout) };
}

function addUser(): UnixUser {
  const args = ["--system", "--user-group", "--no-create-home", "--shell", "/usr/sbin/nologin", NAME];
  execFileSync("useradd", args, { stdio: "pipe" });
  const user = lookUp();
  if (user === undefined) throw new Error(`the user ${NAME} does not exist after useradd`);
  return user;
}
