import { AppError } from "../../domain/app-error";
import { canBecome, type VersionState } from "../../domain/filter/filter-version";
import type { Prisma, PrismaClient, Tx } from "../../store/postgres";

/**
 * One change of the rollout. Changes are serialized, and each raises the revision that readers follow.
 * `seen` is the revision on the operator's screen; null for the worker.
 * @throws AppError CONFLICT when the rollout has another revision by now
 */
export async function changeRollout<T>(
  prisma: PrismaClient,
  seen: number | null,
  work: (tx: Tx) => Promise<T>,
): Promise<T> {
  return prisma.$transaction(async tx => {
    const [row] = await tx.$queryRaw<{ revision: bigint }[]>`
      SELECT revision FROM filter_rollout WHERE id = 1 FOR UPDATE`;
    if (!row) throw new Error("The table filter_rollout has no row. Run the migrations.");
    if (seen !== null && Number(row.revision) !== seen) {
      throw new AppError(
        "CONFLICT",
        "The rollout has changed in the meantime. Check the new state, then try again.",
      );
    }
    const result = await work(tx);
    await tx.filterRollout.update({ where: { id: 1 }, data: { revision: { increment: 1 } } });
    return result;
  });
}

/** @throws AppError NOT_FOUND */
export async function findVersion(tx: Tx, version: number) {
  const found = await tx.filterVersion.findUnique({ where: { version } });
  if (!found) throw new AppError("NOT_FOUND", `There is no filter version v${version}.`);
  return { ...found, state: found.state as VersionState };
}

/** The version in this state; at most one version can be in it. */
export async function versionInState(tx: Tx, state: "active" | "previous" | "ready") {
  return tx.filterVersion.findFirst({ where: { state } });
}

/**
 * The compare-and-set behind every transition.
 * @throws AppError CONFLICT when the version is not in `from` any more
 */
export async function moveVersion(
  tx: Tx,
  { version, from, to }: { version: number; from: VersionState; to: VersionState },
  data: Prisma.FilterVersionUpdateManyMutationInput = {},
): Promise<void> {
  if (!canBecome(from, to)) throw new Error(`A filter version can't go from ${from} to ${to}.`);
  const { count } = await tx.filterVersion.updateMany({
    where: { version, state: from },
    data: { ...data, state: to, stateAt: new Date() },
  });
  if (count !== 1)
    throw new AppError("CONFLICT", `v${version} is not ${from} any more. Check its new state.`);
}

/** Target of an audit row about a version. */
export function versionTarget(version: number): string {
  return `filter:v${version}`;
}
