import { USERNAME_POLICY_VERSION } from "../../domain/username/username-policy";
import { inTransaction, type Pool, type PoolClient, type PrismaClient } from "../../store/postgres";
import { violatedConstraint } from "../../store/unique-violation";
import { type AuditContext, writeAudit } from "../audit/write-audit";
import type { DeviatingUser } from "./find-deviations";

type Deps = { pool: Pool; prisma: PrismaClient };

/**
 * Gives the rows the form of the policy, unless they were changed since they were read. Rows with a conflict stay as they
 * are. The trigger of the outbox brings a changed key into the filter.
 * @returns the mended rows; a row that another change has overtaken is found again by the next run
 */
export async function mendUsers(
  { pool, prisma }: Deps,
  audit: AuditContext,
  { found, reason }: { found: DeviatingUser[]; reason: string },
): Promise<DeviatingUser[]> {
  const mendable = found.filter(({ deviations, conflict }) => deviations.length > 0 && conflict === null);
  if (mendable.length === 0) return [];
  const mended = await mendTogether(pool, mendable);
  const columns: Record<string, number> = {};
  for (const { column } of mended.flatMap(({ deviations }) => deviations))
    columns[column] = (columns[column] ?? 0) + 1;
  await writeAudit(prisma, audit, {
    target: mended.length === 1 ? `user:${mended[0]!.user.username}` : `users:${mended.length}`,
    after: { mended: mended.length, columns },
    reason,
  });
  return mended;
}

/** In one transaction; one row at a time when a row turns out to collide with another one. */
async function mendTogether(pool: Pool, rows: DeviatingUser[]): Promise<DeviatingUser[]> {
  try {
    return await inTransaction(pool, client => update(client, rows));
  } catch (error) {
    if (violatedConstraint(error) === null) throw error;
    if (rows.length === 1) return [];
    const mended: DeviatingUser[] = [];
    for (const row of rows) mended.push(...(await mendTogether(pool, [row])));
    return mended;
  }
}

async function update(client: PoolClient, rows: DeviatingUser[]): Promise<DeviatingUser[]> {
  const stored = rows.map(({ user }) => user);
  const expected = rows.map(toExpected);
  const { rows: updated } = await client.query<{ id: string }>(
    `UPDATE users u SET username_key = n.key, username_skeleton = n.skeleton, email = n.email,
       policy_version = $8, updated_at = now()
     FROM unnest($1::uuid[], $2::text[], $3::text[], $4::text[], $5::text[], $6::text[], $7::text[])
       AS n(id, old_key, old_skeleton, old_email, key, skeleton, email)
     WHERE u.id = n.id AND u.username_key = n.old_key AND u.username_skeleton = n.old_skeleton
       AND u.email = n.old_email
     RETURNING u.id`,
    [
      stored.map(({ id }) => id),
      stored.map(user => user.username_key),
      stored.map(user => user.username_skeleton),
      stored.map(user => user.email),
      expected.map(row => row.username_key),
      expected.map(row => row.username_skeleton),
      expected.map(row => row.email),
      USERNAME_POLICY_VERSION,
    ],
  );
  const ids = new Set(updated.map(({ id }) => id));
  return rows.filter(({ user }) => ids.has(user.id));
}

function toExpected({ user, deviations }: DeviatingUser) {
  const { username_key, username_skeleton, email } = user;
  const row = { username_key, username_skeleton, email };
  for (const { column, expected } of deviations) row[column] = expected;
  return row;
}

/** Of the migration canonical_users. */
const CONSTRAINTS = ["users_username_key_canonical", "users_email_canonical"];

/** From now on the database vouches for all rows. @returns false while a row breaks a constraint */
export async function validateConstraints(pool: Pool): Promise<boolean> {
  try {
    await inTransaction(pool, async client => {
      // Reads the whole table, and blocks nobody.
      await client.query("SET LOCAL statement_timeout = 0");
      for (const name of CONSTRAINTS) await client.query(`ALTER TABLE users VALIDATE CONSTRAINT ${name}`);
    });
    return true;
  } catch (error) {
    if ((error as { code?: string }).code !== "23514") throw error;
    return false;
  }
}
