import type { Pool } from "./postgres";

/** What stands before every write to Redis. */
export interface WriteGuard {
  /** "<epoch> <installation> <database>"; empty: nothing is compared. @throws NotOwnerError */
  mark(): string;
  /** Whether a mark of a hash tag is one's own. */
  owns(mark: string | null): boolean;
  readonly isOwner: boolean;
}

/** For tests, benchmarks and load tools, which have a Redis without an owner. */
export const UNGUARDED: WriteGuard = { mark: () => "", owns: () => true, isOwner: true };

/** Redis belongs to another installation, or it is not known yet whose it is. Nothing was written. */
export class NotOwnerError extends Error {
  override readonly name = "NotOwnerError";
}

/** `installation` was made with the database; `database` differs for each copy of it. */
export type Owner = { installation: string; database: string; databaseName: string };

/** What a copy keeps is the installation; a copy has another oid, or a server with another identifier. */
export async function readOwner(pool: Pool): Promise<Owner> {
  const { rows } = await pool.query(`
    SELECT installation_id AS "installation", system_identifier || '/' || d.oid AS "database", datname AS "databaseName"
    FROM installation, pg_control_system(), pg_database d WHERE datname = current_database()`);
  return rows[0];
}

/** Parses "<epoch> <installation> <database> <name>"; null: the text is no mark. */
export function parseMark(text: string): (Owner & { epoch: number }) | null {
  const found = /^(\d+) (\S+) (\S+)(?: (.+))?$/.exec(text);
  if (!found) return null;
  const [, epoch, installation, database, databaseName = ""] = found;
  return { epoch: Number(epoch), installation: installation!, database: database!, databaseName };
}

const TAKE = 'npm run redis-owner -- take --reason "…"';
const OTHER_URL = "Set REDIS_URL to a Redis of this installation's own";

/** Why this installation must not write, in words; null when the mark is its own. */
export function problemOf(own: Owner, text: string): string | null {
  const held = parseMark(text);
  if (!held) return `The owner's mark in Redis can't be read: nothing is written. To own this Redis: ${TAKE}`;
  if (held.installation !== own.installation) {
    const other = `(database “${held.databaseName}”, installation ${held.installation})`;
    return `Redis belongs to another installation ${other}: nothing is written. ${OTHER_URL}, or take this one over: ${TAKE}`;
  }
  if (held.database === own.database) return null;
  const copied = `Redis belongs to the database “${held.databaseName}”, of which this one is a copy`;
  return `${copied}: nothing is written. ${OTHER_URL}. If this one was restored or moved and the other one is gone: ${TAKE}`;
}

/** The guard of a process: compares the owner's mark in Redis with the installation in Postgres, again and again. */
export class OwnerGuard implements WriteGuard {
  private own: Owner | null = null;
  private current: string | null = null;
  private found: string | null = UNKNOWN;

  /** Why nothing is written, in words; null while Redis is this installation's own. */
  get problem(): string | null {
    return this.found;
  }

  get isOwner(): boolean {
    return this.current !== null;
  }

  mark(): string {
    if (this.current === null) throw new NotOwnerError(this.found ?? UNKNOWN);
    return this.current;
  }

  owns(mark: string | null): boolean {
    const held = mark === null ? null : parseMark(mark);
    const { own } = this;
    return own !== null && held?.installation === own.installation && held.database === own.database;
  }

  /**
   * Claims a Redis without an owner. While Redis or Postgres does not answer, the last result stays: each write
   * is compared in Redis once more.
   * @param claim puts the mark of this owner where there is none, and resolves to the mark that is there
   */
  async refresh(pool: Pool, claim: (own: Owner) => Promise<string>): Promise<void> {
    this.own ??= await readOwner(pool);
    const held = await claim(this.own);
    this.found = problemOf(this.own, held);
    const epoch = parseMark(held)?.epoch;
    this.current = this.found === null ? `${epoch} ${this.own.installation} ${this.own.database}` : null;
  }
}

const UNKNOWN = "It is not known yet whose Redis this is: nothing is written.";
