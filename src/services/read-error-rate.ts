import type { PrismaClient } from "../store/postgres";

/**
 * Reads which false-positive rate a filter version was built for, between 0 and 1; null when that is
 * unknown. It never changes, so a version is read once.
 */
export function createErrorRates(prisma: PrismaClient): (version: number | null) => Promise<number | null> {
  let known: { version: number; rate: number } | undefined;
  return async version => {
    if (version === null) return null;
    if (known?.version === version) return known.rate;
    const select = { errorRate: true };
    const row = await prisma.filterVersion.findUnique({ where: { version }, select }).catch(() => null);
    if (row) known = { version, rate: row.errorRate };
    return row?.errorRate ?? null;
  };
}
