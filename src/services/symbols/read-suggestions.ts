import type { AutomaticBounds } from "../../domain/orders/automatic-split";
import { kindOf, type SuggestionKind } from "../../domain/orders/split-suggestion";
import type { PrismaClient } from "../../store/postgres";
import type { SuggestionStore, WatchedSymbol, WatchReport } from "./suggestion-store";

/** Proposed for a symbol at the moment. */
export type Suggestion = {
  kind: SuggestionKind;
  /** The factor to split by; 1 to merge. */
  factor: number;
  since: string;
  utilization: number;
  throttledPerSecond: number;
  /** Why automatic mode has not acted yet. */
  waitingFor: string | null;
  /** Hidden until then; null: not dismissed. */
  dismissedUntil: string | null;
};
export type AutomaticMode = AutomaticBounds & {
  on: boolean;
  version: number;
  setBy: string | null;
  setAt: string | null;
  reason: string | null;
};

/** The suggestion and the automatic mode of one symbol. */
export type Watched = { suggestion: Suggestion | null; automatic: AutomaticMode };

const DEFAULTS = { maxFactor: 5, minHotSeconds: 10, maxChangesPerHour: 4 };
const NEVER_SET: AutomaticMode = {
  on: false,
  version: 0,
  ...DEFAULTS,
  setBy: null,
  setAt: null,
  reason: null,
};

/**
 * What is proposed, and which symbols are in automatic mode.
 * @returns `watchedAt`: the time of the report; null when no process watches at the moment
 */
export async function readSuggestions(
  { prisma, suggestions }: { prisma: PrismaClient; suggestions: SuggestionStore },
  now = new Date(),
): Promise<{ watchedAt: string | null; of: (symbol: string) => Watched }> {
  const [report, rows] = await Promise.all([
    suggestions.read(now.getTime()).catch((): WatchReport | null => null),
    prisma.symbolWatch.findMany(),
  ]);
  const settings = new Map(rows.map(row => [row.symbol, row]));
  const entries = new Map((report?.entries ?? []).map(entry => [entry.symbol, entry]));
  return {
    watchedAt: report && new Date(report.atMs).toISOString(),
    of(symbol) {
      const row = settings.get(symbol);
      return {
        suggestion: toSuggestion(entries.get(symbol), row, now),
        automatic: row && row.version > 0 ? toMode(row) : NEVER_SET,
      };
    },
  };
}

type Row = Awaited<ReturnType<PrismaClient["symbolWatch"]["findMany"]>>[number];

/** Until when this kind of suggestion is dismissed. */
export function dismissedUntil(row: Row | undefined, kind: SuggestionKind, now: Date): Date | null {
  if (!row?.dismissedUntil || row.dismissedKind !== kind) return null;
  return row.dismissedUntil > now ? row.dismissedUntil : null;
}

function toSuggestion(entry: WatchedSymbol | undefined, row: Row | undefined, now: Date): Suggestion | null {
  const kind = entry ? kindOf(entry) : null;
  if (!entry || !kind) return null;
  const { proposed, sinceMs, utilization, throttledPerSecond, waitingFor } = entry;
  return {
    kind,
    factor: proposed,
    since: new Date(sinceMs).toISOString(),
    utilization,
    throttledPerSecond,
    waitingFor,
    dismissedUntil: dismissedUntil(row, kind, now)?.toISOString() ?? null,
  };
}

function toMode(row: Row): AutomaticMode {
  const { automatic, maxFactor, minHotSeconds, maxChangesPerHour, version, setBy, setAt, reason } = row;
  return {
    on: automatic,
    maxFactor,
    minHotSeconds,
    maxChangesPerHour,
    version,
    setBy,
    setAt: setAt?.toISOString() ?? null,
    reason,
  };
}
