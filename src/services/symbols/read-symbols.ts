import type { FlowLimits } from "../../domain/orders/shard-load";
import type { PlanBook } from "../../orders/plan-book";
import type { PrismaClient } from "../../store/postgres";
import { listSymbols } from "./list-symbols";
import type { LiveFigures } from "./live-figures";
import type { HeatReader } from "./read-heat";
import { readSuggestions } from "./read-suggestions";
import type { SuggestionStore } from "./suggestion-store";

export type ReadSymbolsDeps = {
  prisma: PrismaClient;
  plans: PlanBook;
  figures: LiveFigures;
  heat: HeatReader;
  board: SuggestionStore;
  limits: FlowLimits;
};

/**
 * Every symbol as it is this second: how it is split, what flows, what is proposed; and what shards carry.
 * @throws AppError BUSY while Redis does not answer
 */
export async function readSymbols({ prisma, plans, figures, heat, board, limits }: ReadSymbolsDeps) {
  const live = await figures.read();
  const [of, watched] = await Promise.all([
    heat.read([...plans.tradedSymbols.keys()]),
    readSuggestions({ prisma, board }),
  ]);
  const rows = listSymbols(plans, { figures: live, heat: of, limits });
  return {
    rows: rows.map(row => ({ ...row, ...watched.of(row.symbol) })),
    watchedAt: watched.watchedAt,
    shards: live.map.open.map(({ id }) => ({ shardId: id, flow: live.shards.get(id) ?? null })),
    limits,
    heatFromMs: of.fromMs,
    heatStepMs: of.stepMs,
  };
}

export type SymbolList = Awaited<ReturnType<typeof readSymbols>>;
export type SymbolRow = SymbolList["rows"][number];
