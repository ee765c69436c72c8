import { AppError } from "../../domain/app-error";
import type { TradedSymbol } from "../../domain/orders/order";
import { listingConflict } from "../../domain/orders/symbol-listing";
import type { PrismaClient, Tx } from "../../store/postgres";
import { violatedConstraint } from "../../store/unique-violation";
import { type AuditContext, writeAudit } from "../audit/write-audit";

export type AddSymbol = TradedSymbol & { reason: string };

/**
 * Lists a symbol, or lists a delisted one again. Every server accepts its orders within a second.
 * @throws AppError CONFLICT (it is listed) | BAD_REQUEST (its earlier decimals are others)
 */
export async function addSymbol(
  prisma: PrismaClient,
  audit: AuditContext,
  input: AddSymbol,
): Promise<{ listingVersion: number }> {
  const { symbol, priceDecimals, quantityDecimals, reason } = input;
  try {
    return await prisma.$transaction(async tx => {
      const before = await tx.tradedSymbol.findUnique({ where: { symbol } });
      if (before && before.state !== "delisted")
        throw new AppError("CONFLICT", `${symbol} is listed already.`);
      if (before) checkDecimals(before, input);
      const listingVersion = before ? before.stateVersion + 1 : 0;
      await write(tx, input, { by: audit.actor.name, listingVersion });
      await writeAudit(tx, audit, {
        target: `symbol:${symbol}`,
        before: { state: before?.state ?? "not listed" },
        after: { state: "trading", priceDecimals, quantityDecimals },
        reason,
        answer: { listingVersion },
      });
      return { listingVersion };
    });
  } catch (error) {
    // Of two concurrent additions the primary key refuses one.
    throw violatedConstraint(error) === null ? error : listingConflict(symbol);
  }
}

/** Balances and orders of a delisted symbol are kept in whole units of its decimals. */
function checkDecimals(before: TradedSymbol, { symbol, priceDecimals, quantityDecimals }: AddSymbol): void {
  if (before.priceDecimals === priceDecimals && before.quantityDecimals === quantityDecimals) return;
  throw new AppError(
    "BAD_REQUEST",
    `${symbol} was listed with ${before.priceDecimals} price decimals and ${before.quantityDecimals} quantity decimals, ` +
      "and its balances are kept in these units. List it again with the same decimals.",
  );
}

type Written = { by: string; listingVersion: number };

async function write(tx: Tx, input: AddSymbol, { by, listingVersion }: Written): Promise<void> {
  const { symbol, priceDecimals, quantityDecimals, reason } = input;
  const now = new Date();
  const state = {
    state: "trading",
    stateReason: reason,
    stateBy: by,
    stateSince: now,
    stateVersion: listingVersion,
  };
  if (listingVersion === 0) {
    const data = { symbol, priceDecimals, quantityDecimals, ...state };
    await tx.tradedSymbol.create({ data, select: { symbol: true } });
    return;
  }
  const where = { symbol, stateVersion: listingVersion - 1 };
  const { count } = await tx.tradedSymbol.updateMany({ where, data: { ...state, listedAt: now } });
  if (count === 0) throw listingConflict(symbol);
}
