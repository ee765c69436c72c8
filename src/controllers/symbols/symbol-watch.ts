import { setImmediate as nextTurn } from "node:timers/promises";
import { AppError } from "../../domain/app-error";
import { decideAutomatically } from "../../domain/orders/automatic-split";
import type { FlowLimits } from "../../domain/orders/shard-load";
import { AUTOMATIC_MODE, factorAt, type SplitPlan } from "../../domain/orders/split-plan";
import {
  evidenceText,
  kindOf,
  nextWatch,
  type SymbolReading,
  type Watch,
} from "../../domain/orders/split-suggestion";
import type { ChooseSubKeys, PlanBook } from "../../orders/plan-book";
import type { Logger } from "../../runtime/logger";
import { readOffSwitches } from "../../services/access/list-switches";
import { changeSplitPlan } from "../../services/symbols/change-split-plan";
import { expireSplit } from "../../services/symbols/expire-split";
import { figuresOf } from "../../services/symbols/list-symbols";
import type { Figures, LiveFigures } from "../../services/symbols/live-figures";
import { dismissedUntil } from "../../services/symbols/read-suggestions";
import type { SuggestionStore, WatchedSymbol } from "../../services/symbols/suggestion-store";
import type { PrismaClient } from "../../store/postgres";

export type SymbolWatchOptions = {
  prisma: PrismaClient;
  plans: PlanBook;
  figures: LiveFigures;
  suggestions: SuggestionStore;
  limits: FlowLimits;
  log: Logger;
};

type Settings = Map<string, Awaited<ReturnType<PrismaClient["symbolWatch"]["findMany"]>>[number]>;
type Watched = WatchedSymbol & { reading: SymbolReading };

/** Figures are averages over five seconds: the effect of a change shows before the next one. */
const CHANGE_EVERY_MS = 6_000;
const SYMBOLS_PER_TURN = 50;
const HOUR_MS = 3_600_000;

/**
 * Watches every symbol, once a second: stores expired splits, proposes splits and merges, and applies those
 * that automatic mode allows, at most one in six seconds. One process at a time watches. A second one would
 * propose the same, and the plan's epoch would accept one of two changes.
 */
export class SymbolWatch {
  private watches: Map<string, Watch> | null = null;
  private changedAtMs = Number.NEGATIVE_INFINITY;
  private readonly chooseSubKeys: ChooseSubKeys;

  constructor(private readonly options: SymbolWatchOptions) {
    const { figures, limits } = options;
    this.chooseSubKeys = (symbol, factor) => figures.chooseSubKeys(symbol, factor, limits);
  }

  /** Another process watches now: the watches of this one are out of date. */
  reset(): void {
    this.watches = null;
  }

  /** @throws AppError BUSY while Redis does not answer; expired splits are stored before that */
  async watchOnce(nowMs = Date.now()): Promise<void> {
    const { prisma, plans, suggestions } = this.options;
    await plans.refresh(this.chooseSubKeys);
    await this.storeExpired(nowMs);
    const figures = await this.options.figures.read();
    const before = this.watches ?? (await this.takeOver(nowMs));
    const settings: Settings = new Map((await prisma.symbolWatch.findMany()).map(row => [row.symbol, row]));
    const watched = await this.stepAll(before, figures, nowMs);
    this.watches = new Map(watched.map(one => [one.symbol, watchOf(one)]));
    watched.sort((a, b) => b.utilization - a.utilization);
    await this.applyProposals(watched, { settings, figures, nowMs });
    await suggestions.write(
      watched.map(({ reading: _, ...entry }) => entry),
      nowMs,
    );
  }

  /** The watches that the process before this one has stored. */
  private async takeOver(nowMs: number): Promise<Map<string, Watch>> {
    const report = await this.options.suggestions.read(nowMs);
    return new Map((report?.entries ?? []).map(entry => [entry.symbol, watchOf(entry)]));
  }

  private async stepAll(
    before: ReadonlyMap<string, Watch>,
    figures: Figures,
    nowMs: number,
  ): Promise<Watched[]> {
    const { plans, log } = this.options;
    const watched: Watched[] = [];
    for (const [n, symbol] of [...plans.tradedSymbols.keys()].entries()) {
      // Orders go through this process too: they must not wait for a thousand symbols.
      if (n % SYMBOLS_PER_TURN === SYMBOLS_PER_TURN - 1) await nextTurn();
      const reading = this.readingOf(symbol, figures, nowMs);
      const known = before.get(symbol) ?? null;
      const watch = nextWatch(known, reading, nowMs);
      if (!watch) continue;
      const { utilization, throttledPerSecond } = reading;
      watched.push({
        ...watch,
        symbol,
        utilization: utilization ?? 0,
        throttledPerSecond,
        waitingFor: null,
        reading,
      });
      const kind = kindOf(watch);
      if (kind !== null && kind !== kindOf(known))
        log.info({ symbol, kind, factor: watch.proposed, utilization }, "symbol change proposed");
    }
    return watched;
  }

  private readingOf(symbol: string, figures: Figures, nowMs: number): SymbolReading {
    const { plans, limits } = this.options;
    const plan = plans.planOf(symbol);
    const factor = factorAt(plan, nowMs);
    const { mergedUtilization, shard, recommended } = figuresOf(symbol, factor, { figures, limits });
    return {
      epoch: plan?.epoch ?? 0,
      factor,
      utilization: mergedUtilization,
      recommended,
      changedAtMs: plan?.setAt.getTime() ?? null,
      expires: plan?.expiresAt != null,
      shardUtilization: shard?.utilization ?? null,
      throttledPerSecond: shard?.throttledPerSecond ?? 0,
    };
  }

  private async storeExpired(nowMs: number): Promise<void> {
    const { prisma, plans, figures, log } = this.options;
    for (const symbol of plans.tradedSymbols.keys()) {
      const plan = plans.planOf(symbol);
      if (!hasExpired(plan, nowMs)) continue;
      // A plan that is not split needs one shard, so it can be stored while the log does not answer.
      const shardCount = async () => (await figures.read().catch(() => null))?.map.open.length ?? 1;
      if (await expireSplit({ prisma, shardCount }, plan)) log.info({ symbol }, "split expired");
    }
  }

  private async applyProposals(
    watched: readonly Watched[],
    { settings, figures, nowMs }: { settings: Settings; figures: Figures; nowMs: number },
  ): Promise<void> {
    const { prisma, plans } = this.options;
    const proposed = watched.filter(one => kindOf(one) !== null && settings.get(one.symbol)?.automatic);
    if (proposed.length === 0) return;
    const off = await readOffSwitches(prisma);
    const isOff = off.has("symbol.setAutomatic") || off.has("symbol.split");
    const now = new Date(nowMs);
    for (const one of proposed) {
      const bounds = settings.get(one.symbol)!;
      if (dismissedUntil(bounds, kindOf(one)!, now)) one.waitingFor = "a trader has dismissed it";
      else if (isOff) one.waitingFor = "it is switched off";
      else if (nowMs - this.changedAtMs < CHANGE_EVERY_MS)
        one.waitingFor = "another symbol was changed a moment ago";
      else {
        const decision = decideAutomatically({
          watch: one,
          reading: one.reading,
          plan: plans.planOf(one.symbol),
          bounds,
          nowMs,
          shards: figures.map.open.length,
          changesLastHour: await this.changesOf(one.symbol, new Date(nowMs - HOUR_MS)),
        });
        if (decision && "waitingFor" in decision) one.waitingFor = decision.waitingFor;
        else if (decision)
          await this.change(one, decision.factor, { allowedBy: bounds.setBy, figures, nowMs });
      }
    }
  }

  private changesOf(symbol: string, since: Date): Promise<number> {
    const where = { symbol, setBy: AUTOMATIC_MODE, setAt: { gte: since } };
    return this.options.prisma.splitPlan.count({ where });
  }

  private async change(
    one: Watched,
    factor: number,
    { allowedBy, figures, nowMs }: { allowedBy: string | null; figures: Figures; nowMs: number },
  ): Promise<void> {
    const { prisma, log } = this.options;
    const { symbol, epoch } = one;
    this.changedAtMs = nowMs;
    const actor = { kind: "system" as const, id: null, name: AUTOMATIC_MODE, role: null };
    const audit = { actor, action: "symbol.split", requestId: null, address: null };
    const evidence = evidenceText({ ...one, kind: kindOf(one)! }, nowMs);
    const reason = `Automatic: ${evidence}. Allowed by ${allowedBy}.`;
    const shardCount = async () => figures.map.open.length;
    try {
      await changeSplitPlan({ prisma, shardCount, chooseSubKeys: this.chooseSubKeys }, audit, {
        symbol,
        factor,
        strategy: "account",
        placement: "planned",
        expiresAt: null,
        expectedEpoch: epoch,
        reason,
      });
      log.info({ symbol, factor, reason }, "symbol changed by automatic mode");
    } catch (error) {
      // A trader was faster, or changed the symbol a moment ago.
      if (!(error instanceof AppError)) throw error;
      one.waitingFor = error.message;
    }
  }
}

const watchOf = ({ phase, epoch, factor, sinceMs, proposed }: Watch): Watch => ({
  phase,
  epoch,
  factor,
  sinceMs,
  proposed,
});

function hasExpired(plan: SplitPlan | undefined, nowMs: number): plan is SplitPlan & { expiresAt: Date } {
  return (
    plan !== undefined && plan.factor > 1 && plan.expiresAt !== null && plan.expiresAt.getTime() <= nowMs
  );
}
