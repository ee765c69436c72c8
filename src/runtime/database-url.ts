import { readFileSync, rmSync, writeFileSync } from "node:fs";

/**
 * Tells the commands of this machine where the database is, for as long as it runs: the embedded one
 * has another port at each start. For the owner of the data folder only, since it holds a password.
 * @returns what takes it back
 */
export function publishDatabaseUrl(file: string, url: string): () => void {
  // A new file, so that its mode is ours whatever an older one had.
  rmSync(file, { force: true });
  writeFileSync(file, `${url}\n`, { mode: 0o600, flag: "wx" });
  return () => rmSync(file, { force: true });
}

/** @throws when nothing runs here */
export function findDatabaseUrl(file: string): string {
  try {
    return readFileSync(file, "utf8").trim();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "EACCES") {
      throw new Error(`${file} belongs to another user. Run this as the one who started Floodgate.`);
    }
    throw new Error("Floodgate does not run here. Start it with `npm start`, or set DATABASE_URL.");
  }
}
