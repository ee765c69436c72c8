import { AppError } from "../../domain/app-error";
import type { PrismaClient } from "../../store/postgres";
import { type AuditContext, writeAudit } from "../audit/write-audit";
import { generatePassword } from "./create-staff";
import { hashPassword } from "./hash-password";

/** Sets a generated password and ends the user's sessions. @throws AppError NOT_FOUND */
export async function setPassword(
  prisma: PrismaClient,
  audit: AuditContext,
  id: string,
): Promise<{ password: string }> {
  const password = generatePassword();
  const hash = await hashPassword(password);
  await prisma.$transaction(async tx => {
    const user = await tx.user.findUnique({ where: { id }, select: { username: true } });
    if (!user) throw new AppError("NOT_FOUND", "There is no such user.");
    await tx.account.upsert({
      where: { providerId_accountId: { providerId: "credential", accountId: id } },
      create: { userId: id, accountId: id, providerId: "credential", password: hash },
      update: { password: hash },
    });
    const { count } = await tx.session.deleteMany({ where: { userId: id } });
    await writeAudit(tx, audit, { target: `user:${user.username}`, after: { id, sessionsEnded: count } });
  });
  return { password };
}
