import { skeletonOf } from "../../domain/username/username-skeleton";
import type { PrismaClient } from "../../store/postgres";
import type { AuditContext } from "../audit/write-audit";
import { type CreatedStaff, generatePassword, insertStaff } from "./create-staff";
import { hashPassword } from "./hash-password";

const ACTION = "system.firstAdmin";
const AUDIT: AuditContext = {
  actor: { kind: "system", id: null, name: "first start", role: null },
  action: ACTION,
  requestId: null,
  address: null,
};

/**
 * Creates the admin of a new installation once. Null when there is an admin, even a disabled one, or an
 * audit row of an earlier one. `npm run user -- password admin` replaces a lost password.
 */
export async function createFirstAdmin(prisma: PrismaClient): Promise<CreatedStaff | null> {
  const password = generatePassword();
  const hash = await hashPassword(password);
  return prisma.$transaction(async tx => {
    // Several installations may start on one database at once.
    await tx.$executeRaw`SELECT pg_advisory_xact_lock(hashtextextended('floodgate staff', 0))`;
    if ((await tx.user.count({ where: { role: "admin" }, take: 1 })) > 0) return null;
    if ((await tx.auditEntry.count({ where: { action: ACTION }, take: 1 })) > 0) return null;
    const username = await freeName(tx);
    const email = `${username}@localhost`;
    const staff = { username, email, emailVerified: false, role: "admin" as const, hash };
    return { ...(await insertStaff(tx, AUDIT, staff)), password };
  });
}

/** `admin`, though it is reserved; another name when an imported user has it. */
async function freeName(tx: Pick<PrismaClient, "user">): Promise<string> {
  for (let n = 0; ; n += 1) {
    const username = n === 0 ? "admin" : `floodgate-admin${n}`;
    const where = {
      OR: [
        { usernameKey: username },
        { usernameSkeleton: skeletonOf(username) },
        { email: `${username}@localhost` },
      ],
    };
    if ((await tx.user.count({ where, take: 1 })) === 0) return username;
  }
}
