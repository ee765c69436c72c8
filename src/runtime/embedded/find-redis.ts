import { accessSync, constants, statSync } from "node:fs";
import { homedir } from "node:os";
import { delimiter, isAbsolute, join } from "node:path";

/** Redis first; Valkey only when there is no Redis. */
const PROGRAMS = ["redis-server", "valkey-server"];
/** Folders of package managers that the short PATH of a service or a cron job lacks. */
const USUAL_DIRS = ["/usr/bin", "/usr/local/bin", "/opt/homebrew/bin", join(homedir(), ".local/bin")];

/** The path of a Redis or Valkey server; PATH is searched first. */
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
