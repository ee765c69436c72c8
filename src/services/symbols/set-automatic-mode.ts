import { AppError } from "../../domain/app-error";
import type { AutomaticBounds } from "../../domain/orders/automatic-split";
import type { PrismaClient } from "../../store/postgres";
import { violatedConstraint } from "../../store/unique-violation";
import { type AuditContext, writeAudit } from "../audit/write-audit";

/** `expectedVersion`: the version that the caller has seen, 0 if the mode was never set. */
export type SetAutomaticMode = AutomaticBounds & {
  symbol: string;
  on: boolean;
  reason: string;
  expectedVersion: number;
};

/**
 * Switches automatic mode of a symbol on with these bounds, or off. It takes effect within a second.
 * @throws AppError NOT_FOUND | CONFLICT (another change was faster)
 */
export async function setAutomaticMode(
  prisma: PrismaClient,
  audit: AuditContext,
  { symbol, on, reason, expectedVersion, ...bounds }: SetAutomaticMode,
): Promise<void> {
  const conflict = () =>
    new AppError(
      "CONFLICT",
      `Another user changed the automatic mode of ${symbol} in the meantime. Reload and try again.`,
    );
  const { maxFactor, minHotSeconds, maxChangesPerHour } = bounds;
  const next = { automatic: on, maxFactor, minHotSeconds, maxChangesPerHour };
  const who = { reason, setBy: audit.actor.name, setAt: new Date(), version: expectedVersion + 1 };
  try {
    await prisma.$transaction(async tx => {
      const known = await tx.tradedSymbol.findFirst({
        where: { symbol, state: { not: "delisted" } },
        select: { symbol: true },
      });
      if (!known) throw new AppError("NOT_FOUND", `There is no symbol “${symbol}”.`);
      const before = await tx.symbolWatch.findUnique({ where: { symbol } });
      if ((before?.version ?? 0) !== expectedVersion) throw conflict();
      if (before) {
        const where = { symbol, version: expectedVersion };
        const { count } = await tx.symbolWatch.updateMany({ where, data: { ...next, ...who } });
        if (count === 0) throw conflict();
      } else await tx.symbolWatch.create({ data: { symbol, ...next, ...who }, select: { symbol: true } });
      await writeAudit(tx, audit, {
        target: `symbol:${symbol}`,
        before: before?.automatic ? shown(before) : { automatic: false },
        after: on ? shown(next) : { automatic: false },
        reason,
      });
    });
  } catch (error) {
    // Two concurrent first changes: the primary key refuses one.
    throw violatedConstraint(error) === null ? error : conflict();
  }
}

function shown({ maxFactor, minHotSeconds, maxChangesPerHour }: AutomaticBounds) {
  return { automatic: true, maxFactor, minHotSeconds, maxChangesPerHour };
}
