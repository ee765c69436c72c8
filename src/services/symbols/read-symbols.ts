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
  suggestions: SuggestionStore;
  limits: FlowLimits;
};

/**
 * Every symbol at this second: its split, its flow, and what is proposed; and the load of each shard.
 * @throws AppError BUSY while Redis does not answer
 */
export async function readSymbols({ prisma, plans, figures, heat, suggestions, limits }: ReadSymbolsDeps) {
  const live = await figures.read();
  const [rates, watched] = await Promise.all([
    heat.read([...plans.tradedSymbols.keys()]),
    readSuggestions({ prisma, suggestions }),
  ]);
  const rows = listSymbols(plans, { figures: live, heat: rates, limits });
  return {
    rows: rows.map(row => ({ ...row, ...watched.of(row.symbol) })),
    watchedAt: watched.watchedAt,
    shards: live.map.open.map(({ id }) => ({ shardId: id, flow: live.shards.get(id) ?? null })),
    limits,
    heatFromMs: rates.fromMs,
    heatStepMs: rates.stepMs,
  };
}

export type SymbolList = Awaited<ReturnType<typeof readSymbols>>;
export type SymbolRow = SymbolList["rows"][number];
