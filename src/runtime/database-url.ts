import { readFileSync, rmSync, writeFileSync } from "node:fs";

/**
 * Publishes the database URL to the commands on this machine: the embedded database has another port at
 * each start. Only the owner of the data folder may read it, since it contains a password.
 * @returns the function that removes the file
 */
export function publishDatabaseUrl(file: string, url: string): () => void {
  // A new file, so that the mode of an older one does not apply.
  rmSync(file, { force: true });
  writeFileSync(file, `${url}\n`, { mode: 0o600, flag: "wx" });
  return () => rmSync(file, { force: true });
}

/** @throws when Floodgate does not run */
export function findDatabaseUrl(file: string): string {
  try {
    return readFileSync(file, "utf8").trim();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "EACCES") {
      throw new Error(`${file} belongs to another user. Run this as the user who started Floodgate.`);
    }
    throw new Error("Floodgate does not run here. Start it with `npm start`, or set DATABASE_URL.");
  }
}
