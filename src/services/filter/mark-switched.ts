import type { PrismaClient } from "../../store/postgres";

/** Stores when readers switched to a version: its pointer was read back from Redis. */
export async function markSwitched(prisma: PrismaClient, version: number): Promise<void> {
  await prisma.filterVersion.updateMany({
    where: { version, state: "active", switchedAt: null },
    data: { switchedAt: new Date() },
  });
}
