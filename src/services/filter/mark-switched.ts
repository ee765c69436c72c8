import type { PrismaClient } from "../../store/postgres";

/** The pointer was read back from Redis: readers follow this version. Nothing is stored before that. */
export async function markSwitched(prisma: PrismaClient, version: number): Promise<void> {
  await prisma.filterVersion.updateMany({
    where: { version, state: "active", switchedAt: null },
    data: { switchedAt: new Date() },
  });
}
