import { readEmail } from "../../domain/access/email";
import { readUsername } from "../../domain/username/username-policy";
import type { Pool } from "../../store/postgres";

/** A user as stored. */
export type StoredUser = {
  id: string;
  username: string;
  username_key: string;
  username_skeleton: string;
  email: string;
};

export type Column = "username_key" | "username_skeleton" | "email";

/** `expected` is what the policy makes of the row. */
export type Deviation = { column: Column; stored: string; expected: string };

/** A row that is not as the policy makes it. */
export type DeviatingUser = {
  user: StoredUser;
  /** What can be mended, unless `conflict` is set. */
  deviations: Deviation[];
  /** What no form of the row can mend, in words: a name or an address that the policy does not allow any more. */
  remarks: string[];
  /** Another user has what the mended row would have: a person must decide. */
  conflict: { column: Column; username: string } | null;
};

const PAGE_ROWS = 5_000;

/** All users, in pages by id: bounded memory, and no snapshot stays open between pages. */
export async function* everyUser(pool: Pool): AsyncGenerator<StoredUser[]> {
  for (let after = "00000000-0000-0000-0000-000000000000"; ; ) {
    const { rows } = await pool.query<StoredUser>(
      `SELECT id, username, username_key, username_skeleton, email FROM users
       WHERE id > $1 ORDER BY id LIMIT $2`,
      [after, PAGE_ROWS],
    );
    if (rows.length > 0) yield rows;
    if (rows.length < PAGE_ROWS) return;
    after = rows.at(-1)!.id;
  }
}

/** Compares one page with the policy, and what the mended rows would be with the other users. */
export async function findDeviations(pool: Pool, users: StoredUser[]): Promise<DeviatingUser[]> {
  const found = users.map(compare).filter(one => one.deviations.length + one.remarks.length > 0);
  await findConflicts(pool, found);
  return found;
}

function compare(user: StoredUser): DeviatingUser {
  const deviations: Deviation[] = [];
  const remarks: string[] = [];
  const expect = (column: Column, expected: string) => {
    if (user[column] !== expected) deviations.push({ column, stored: user[column], expected });
  };
  const name = readUsername(user.username);
  if (name.ok) {
    expect("username_key", name.key);
    expect("username_skeleton", name.skeleton);
  } else {
    remarks.push(`The name is not allowed any more, and stays its owner's: ${name.message}`);
  }
  const address = readEmail(user.email);
  if (address.ok) expect("email", address.email);
  else if (!isLocalAddress(user.email)) remarks.push(`The address is none: ${address.message}`);
  return { user, deviations, remarks, conflict: null };
}

/** That of a new installation's first administrator. */
const isLocalAddress = (email: string) => /^[a-z0-9._-]+@localhost$/.test(email);

/** Marks each row whose mended form another row has, or another row of this page will have. */
async function findConflicts(pool: Pool, found: DeviatingUser[]): Promise<void> {
  for (const column of ["username_key", "username_skeleton", "email"] as const) {
    const wanted = found.flatMap(one =>
      one.deviations
        .filter(deviation => deviation.column === column)
        .map(({ expected }) => ({ one, expected })),
    );
    if (wanted.length === 0) continue;
    const { rows } = await pool.query<{ id: string; username: string; value: string }>(
      `SELECT id, username, ${column} AS value FROM users WHERE ${column} = ANY($1)`,
      [wanted.map(({ expected }) => expected)],
    );
    const owners = new Map(rows.map(({ value, id, username }) => [value, { id, username }]));
    for (const { one, expected } of wanted) {
      const owner = owners.get(expected);
      if (owner && owner.id !== one.user.id) one.conflict ??= { column, username: owner.username };
      else owners.set(expected, one.user);
    }
  }
}
