import { accessSync, chmodSync, constants, mkdirSync, renameSync, statSync } from "node:fs";
import { join, resolve } from "node:path";

export type DataFolder = {
  root: string;
  postgres: string;
  redis: string;
  secrets: string;
  runLock: string;
  /** The file with the database URL of a running installation; it contains a password. */
  databaseUrl: string;
  /** The log file of an embedded server; the file of the previous start is kept as `.1`. */
  freshLog(name: string): string;
};

/** Creates the folder if it is missing, for its owner only. */
export function openDataFolder(dataDir: string): DataFolder {
  const root = resolve(dataDir);
  const logs = join(root, "logs");
  try {
    mkdirSync(root, { recursive: true, mode: 0o700 });
    const { uid, mode } = statSync(root);
    // As root, Postgres runs as another user, which must enter the folder but need not list it.
    if (uid === 0 && process.getuid?.() === 0) chmodSync(root, (mode & 0o7777) | 0o011);
    accessSync(root, constants.R_OK | constants.W_OK | constants.X_OK);
    mkdirSync(logs, { recursive: true, mode: 0o700 });
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    throw new Error(
      `The data folder ${root} can't be used (${code}). Start as the user it belongs to, ` +
        "or set FLOODGATE_DATA_DIR to another folder.",
      { cause: error },
    );
  }
  return {
    root,
    postgres: join(root, "postgres"),
    redis: join(root, "redis"),
    secrets: join(root, "secrets.json"),
    runLock: join(root, "run.json"),
    databaseUrl: join(root, "database-url"),
    freshLog(name) {
      const file = join(logs, `${name}.log`);
      try {
        renameSync(file, `${file}.1`);
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code !== "ENOENT") throw error;
      }
      return file;
    },
  };
}
