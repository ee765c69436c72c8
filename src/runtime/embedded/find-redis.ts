import { accessSync, constants, statSync } from "node:fs";
import { homedir } from "node:os";
import { delimiter, isAbsolute, join } from "node:path";

/** Debian's redis is the plain one; a Valkey beside it is used only when there is no Redis. */
const PROGRAMS = ["redis-server", "valkey-server"];
/** Where package managers put servers that a service's or a cron job's short PATH misses. */
const USUAL_DIRS = ["/usr/bin", "/usr/local/bin", "/opt/homebrew/bin", join(homedir(), ".local/bin")];

/** The path of a Redis or Valkey server, looked for on PATH first. */
export function findRedis(path = process.env.PATH ?? "", usualDirs = USUAL_DIRS): string | undefined {
  const dirs = [...path.split(delimiter).filter(isAbsolute), ...usualDirs];
  for (const program of PROGRAMS) {
    const file = dirs.map(dir => join(dir, program)).find(isExecutable);
    if (file !== undefined) return file;
  }
  return undefined;
}

/** True when one of the folders on PATH holds the program. */
export function isOnPath(program: string, path = process.env.PATH ?? ""): boolean {
  return path.split(delimiter).some(dir => isAbsolute(dir) && isExecutable(join(dir, program)));
}

function isExecutable(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return statSync(file).isFile();
  } catch {
    return false;
  }
}
