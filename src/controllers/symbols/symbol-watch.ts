import { setImmediate as nextTurn } from "node:timers/promises";
import { AppError } from "../../domain/app-error";
import { automaticAnswer } from "../../domain/orders/automatic-split";
import type { FlowLimits } from "../../domain/orders/shard-load";
import { AUTOMATIC_MODE, factorAt, type SplitPlan } from "../../domain/orders/split-plan";
import {
  evidenceText,
  kindOf,
  nextWatch,
  type SymbolReading,
  type Watch,
} from "../../domain/orders/split-suggestion";
import type { PlanBook } from "../../orders/plan-book";
import type { Logger } from "../../runtime/logger";
import { readOffSwitches } from "../../services/access/list-switches";
import { changeSplitPlan } from "../../services/symbols/change-split-plan";
import { expireSplit } from "../../services/symbols/expire-split";
import { figuresOf } from "../../services/symbols/list-symbols";
import type { Figures, LiveFigures } from "../../services/symbols/live-figures";
import { dismissedUntil } from "../../services/symbols/read-suggestions";
import type { BoardEntry, SuggestionStore } from "../../services/symbols/suggestion-store";
import type { PrismaClient } from "../../store/postgres";

export type SymbolWatchOptions = {
  prisma: PrismaClient;
  plans: PlanBook;
  figures: LiveFigures;
  board: SuggestionStore;
  limits: FlowLimits;
  log: Logger;
};

type Settings = Map<string, Awaited<ReturnType<PrismaClient["symbolWatch"]["findMany"]>>[number]>;
type Seen = BoardEntry & { reading: SymbolReading };

/** Figures are over five seconds: what an act has brought is seen before the next one. */
const ACT_EVERY_MS = 6_000;
const SYMBOLS_PER_TURN = 50;
const HOUR_MS = 3_600_000;

/**
 * Watches every symbol, once a second: writes down what has expired, proposes splits and unsplits, and does
 * what automatic mode may do, at most one act in six seconds. One copy at a time does it; a second one would
 * propose the same, and of its acts the plan's epoch would let one win.
 */
export class SymbolWatch {
  private watches: Map<string, Watch> | null = null;
  private actedAtMs = Number.NEGATIVE_INFINITY;

  constructor(private readonly options: SymbolWatchOptions) {}

  /** Another copy watches now: what this one has seen is of no more use. */
  forget(): void {
    this.watches = null;
  }

  /** @throws AppError BUSY while Redis does not answer; what expires has been written down by then */
  async look(nowMs = Date.now()): Promise<void> {
    const { prisma, plans, figures: live, board, log } = this.options;
    await plans.refresh();
    await this.expire(nowMs);
    const figures = await live.read();
    const before = this.watches ?? (await this.takeOver(nowMs));
    const settings: Settings = new Map((await prisma.symbolWatch.findMany()).map(row => [row.symbol, row]));
    const seen: Seen[] = [];
    const watches = new Map<string, Watch>();
    for (const [n, symbol] of [...plans.tradedSymbols.keys()].entries()) {
      // Orders go through this process: a thousand symbols in one go would make them wait.
      if (n % SYMBOLS_PER_TURN === SYMBOLS_PER_TURN - 1) await nextTurn();
      const reading = this.readingOf(symbol, figures, nowMs);
      const watch = nextWatch(before.get(symbol) ?? null, reading, nowMs);
      if (!watch) continue;
      watches.set(symbol, watch);
      const { utilization, throttledPerSecond } = reading;
      seen.push({ ...watch, symbol, utilization: utilization ?? 0, throttledPerSecond, held: null, reading });
      const began = kindOf(watch) !== kindOf(before.get(symbol) ?? null) ? kindOf(watch) : null;
      if (began) log.info({ symbol, factor: watch.proposed, utilization }, `proposing to ${began}`);
    }
    this.watches = watches;
    seen.sort((a, b) => b.utilization - a.utilization);
    await this.actByItself(seen, { settings, figures, nowMs });
    await board.write(
      seen.map(({ reading: _, ...entry }) => entry),
      nowMs,
    );
  }

  private async takeOver(nowMs: number): Promise<Map<string, Watch>> {
    const board = await this.options.board.read(nowMs);
    return new Map(
      (board?.entries ?? []).map(({ symbol, phase, epoch, factor, sinceMs, proposed }) => [
        symbol,
        { phase, epoch, factor, sinceMs, proposed },
      ]),
    );
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

  private async expire(nowMs: number): Promise<void> {
    const { prisma, plans, figures, log } = this.options;
    for (const symbol of plans.tradedSymbols.keys()) {
      const plan = plans.planOf(symbol);
      if (!hasExpired(plan, nowMs)) continue;
      // One shard is enough for what is not split, whether the log can be read or not.
      const shardCount = async () => (await figures.read().catch(() => null))?.map.open.length ?? 1;
      if (await expireSplit({ prisma, shardCount }, plan)) log.info({ symbol }, "a split expired");
    }
  }

  private async actByItself(
    seen: readonly Seen[],
    { settings, figures, nowMs }: { settings: Settings; figures: Figures; nowMs: number },
  ): Promise<void> {
    const { prisma, plans } = this.options;
    const proposed = seen.filter(one => kindOf(one) !== null && settings.get(one.symbol)?.automatic);
    if (proposed.length === 0) return;
    const off = await readOffSwitches(prisma);
    const isOff = off.has("symbol.setAutomatic") || off.has("symbol.split");
    const now = new Date(nowMs);
    for (const one of proposed) {
      const bounds = settings.get(one.symbol)!;
      const plan = plans.planOf(one.symbol);
      if (dismissedUntil(bounds, kindOf(one)!, now)) one.held = "a trader has dismissed it";
      else if (isOff) one.held = "it is switched off";
      else if (nowMs - this.actedAtMs < ACT_EVERY_MS) one.held = "another symbol was changed a moment ago";
      else {
        const answer = automaticAnswer({
          watch: one,
          reading: one.reading,
          plan,
          bounds,
          nowMs,
          shards: figures.map.open.length,
          changesLastHour: await this.changesOf(one.symbol, new Date(nowMs - HOUR_MS)),
        });
        if (answer && "held" in answer) one.held = answer.held;
        else if (answer) await this.split(one, answer.factor, { allowedBy: bounds.setBy, figures, nowMs });
      }
    }
  }

  private changesOf(symbol: string, since: Date): Promise<number> {
    const where = { symbol, setBy: AUTOMATIC_MODE, setAt: { gte: since } };
    return this.options.prisma.splitPlan.count({ where });
  }

  private async split(
    one: Seen,
    factor: number,
    { allowedBy, figures, nowMs }: { allowedBy: string | null; figures: Figures; nowMs: number },
  ): Promise<void> {
    const { prisma, plans, log } = this.options;
    const { symbol, epoch } = one;
    this.actedAtMs = nowMs;
    const actor = { kind: "system" as const, id: null, name: AUTOMATIC_MODE, role: null };
    const audit = { actor, action: "symbol.split", requestId: null, address: null };
    const evidence = evidenceText({ ...one, kind: kindOf(one)! }, nowMs);
    const reason = `Automatic: ${evidence}. Allowed by ${allowedBy}.`;
    const plan = { strategy: "random" as const, placement: "planned" as const, expiresAt: null };
    try {
      await changeSplitPlan(
        { prisma, shardCount: async () => figures.map.open.length, choose: plans.choose },
        audit,
        { symbol, factor, ...plan, expectedEpoch: epoch, reason },
      );
      log.info({ symbol, factor, reason }, "split by automatic mode");
    } catch (error) {
      // A trader was faster, or changed it a moment ago.
      if (!(error instanceof AppError)) throw error;
      one.held = error.message;
    }
  }
}

function hasExpired(plan: SplitPlan | undefined, nowMs: number): plan is SplitPlan & { expiresAt: Date } {
  return (
    plan !== undefined && plan.factor > 1 && plan.expiresAt !== null && plan.expiresAt.getTime() <= nowMs
  );
}
