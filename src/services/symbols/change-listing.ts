import { AppError } from "../../domain/app-error";
import {
  checkListingChange,
  LISTING_CHANGES,
  type ListingChange,
  type ListingState,
  listingConflict,
} from "../../domain/orders/symbol-listing";
import type { PrismaClient, Tx } from "../../store/postgres";
import { type AuditContext, type AuditNote, writeAudit } from "../audit/write-audit";
import { type PendingDeps, readDelistProblem } from "./read-pending-orders";

/** `expectedVersion`: the listing version that the caller has seen. */
export type ListingRequest = { symbol: string; expectedVersion: number; reason: string };

/**
 * Halts or resumes a symbol, which every server follows within a second. Orders that were accepted before a
 * halt are still matched.
 * @throws AppError NOT_FOUND | CONFLICT (another change was faster, or it is in that state already)
 */
export function changeListing(
  prisma: PrismaClient,
  audit: AuditContext,
  change: "halt" | "resume",
  request: ListingRequest,
): Promise<{ listingVersion: number }> {
  return prisma.$transaction(tx => store(tx, audit, change, request));
}

/**
 * Delists a halted symbol. What is checked before stays true: while the version is the same, no server
 * accepts orders of it.
 * @throws AppError NOT_FOUND | CONFLICT (another change was faster, or orders are open or on their way)
 */
export async function delistSymbol(
  deps: PendingDeps & { prisma: PrismaClient },
  audit: AuditContext,
  request: ListingRequest,
): Promise<{ listingVersion: number }> {
  const { symbol, expectedVersion } = request;
  const row = await deps.prisma.tradedSymbol.findUnique({ where: { symbol } });
  checkRow(row, "delist", request);
  const { problem } = await readDelistProblem(deps, symbol);
  if (problem !== null) throw new AppError("CONFLICT", problem);
  return deps.prisma.$transaction(async tx => {
    const stored = await store(tx, audit, "delist", { symbol, expectedVersion, reason: request.reason });
    // Automatic mode must not return with the symbol.
    const data = { automatic: false, version: { increment: 1 } };
    await tx.symbolWatch.updateMany({ where: { symbol, automatic: true }, data });
    return stored;
  });
}

type Row = { state: string; stateVersion: number; stateReason: string | null };

function checkRow(row: Row | null, change: ListingChange, request: ListingRequest): asserts row is Row {
  const { symbol, expectedVersion } = request;
  const state = row?.state as ListingState | undefined;
  if (!row || !state || state === "delisted")
    throw new AppError("NOT_FOUND", `There is no symbol “${symbol}”.`);
  checkListingChange({ symbol, state, version: row.stateVersion }, change, expectedVersion);
}

async function store(
  tx: Tx,
  audit: AuditContext,
  change: ListingChange,
  request: ListingRequest,
): Promise<{ listingVersion: number }> {
  const { symbol, expectedVersion, reason } = request;
  const row = await tx.tradedSymbol.findUnique({ where: { symbol } });
  checkRow(row, change, request);
  const state = LISTING_CHANGES[change].to;
  const listingVersion = expectedVersion + 1;
  // The clock of Postgres, since the age of a halt is read by it.
  const count = await tx.$executeRaw`
    UPDATE traded_symbols SET state = ${state}, state_reason = ${reason}, state_by = ${audit.actor.name},
      state_since = clock_timestamp(), state_version = ${listingVersion}
    WHERE symbol = ${symbol} AND state_version = ${expectedVersion}`;
  if (count === 0) throw listingConflict(symbol);
  const note: AuditNote = {
    target: `symbol:${symbol}`,
    before: { state: row.state, reason: row.stateReason },
    after: { state },
    reason,
    answer: { listingVersion },
  };
  await writeAudit(tx, audit, note);
  return { listingVersion };
}
