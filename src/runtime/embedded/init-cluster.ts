import { spawn } from "node:child_process";
import { chownSync, mkdirSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import type { UnixUser } from "./postgres-home";

export const SUPERUSER = "floodgate";

/** PG… variables of the caller must not reach the server; LC_ALL decides the locale of a new cluster. */
export function postgresEnv(): NodeJS.ProcessEnv {
  return { NODE_ENV: process.env.NODE_ENV, PATH: process.env.PATH, LC_ALL: "C", TZ: "UTC" };
}

type NewCluster = { programs: string; cluster: string; password: string; user: UnixUser | undefined };

/** Creates the cluster beside its folder and renames it when complete, so that an interrupted start can be repeated. */
export async function initCluster({ programs, cluster, password, user }: NewCluster): Promise<void> {
  const unfinished = `${cluster}.new`;
  const passwordFile = `${cluster}.password`;
  rmSync(unfinished, { recursive: true, force: true });
  mkdirSync(unfinished, { mode: 0o700 });
  writeFileSync(passwordFile, `${password}\n`, { mode: 0o600 });
  if (user !== undefined) for (const path of [unfinished, passwordFile]) chownSync(path, user.uid, user.gid);
  try {
    await initdb(join(programs, "initdb"), unfinished, passwordFile, user);
    renameSync(unfinished, cluster);
  } finally {
    rmSync(passwordFile, { force: true });
  }
}

function initdb(command: string, dir: string, pwfile: string, user: UnixUser | undefined): Promise<void> {
  const args = [`--pgdata=${dir}`, `--pwfile=${pwfile}`, `--username=${SUPERUSER}`];
  args.push("--auth=scram-sha-256", "--encoding=UTF8", "--locale=C", "--no-instructions");
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, { env: postgresEnv(), ...user, cwd: dirname(dir), detached: true });
    let output = "";
    for (const stream of [child.stdout, child.stderr]) {
      stream.on("data", chunk => {
        output += chunk;
      });
    }
    child.once("error", cause => reject(new Error(`initdb could not be run: ${cause.message}`, { cause })));
    child.once("close", code => {
      if (code === 0) resolve();
      else reject(new Error(`initdb failed with exit code ${code}:\n${output.trimEnd()}`));
    });
  });
}
