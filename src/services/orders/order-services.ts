import type { OrderInput } from "../../domain/orders/order";
import type { OrderLog } from "../../domain/orders/order-log";
import type { FlowLimits } from "../../domain/orders/shard-load";
import type { PlacementMode } from "../../domain/orders/split-plan";
import type { PrismaClient } from "../../store/postgres";
import { readShardSeries } from "../../telemetry/read-shard-series";
import type { AuditContext } from "../audit/write-audit";
import { continueSymbol, previewContinuation } from "../engine/continue-symbol";
import { listEngines } from "../engine/list-engines";
import { readEngine } from "../engine/read-engine";
import { traceOrder } from "../order-trace/trace-order";
import { readOnce } from "../read-once";
import { type AddSymbol, addSymbol } from "../symbols/add-symbol";
import { changeListing, delistSymbol, type ListingRequest } from "../symbols/change-listing";
import { type ChangeSplitPlan, changeSplitPlan } from "../symbols/change-split-plan";
import { type DismissSuggestion, dismissSuggestion } from "../symbols/dismiss-suggestion";
import type { LiveFigures } from "../symbols/live-figures";
import { previewSplit } from "../symbols/preview-split";
import { HeatReader } from "../symbols/read-heat";
import { readDelistProblem } from "../symbols/read-pending-orders";
import { readShardSymbols } from "../symbols/read-shard-symbols";
import { readSymbols } from "../symbols/read-symbols";
import { type SetAutomaticMode, setAutomaticMode } from "../symbols/set-automatic-mode";
import { SuggestionStore } from "../symbols/suggestion-store";
import { type SymbolPageRequest, symbolPage } from "../symbols/symbol-page";
import { listDeadLetters } from "./list-dead-letters";
import { listOrders, type OrderRequest, readOrder } from "./read-order";
import { type OrderStatusDeps, readOrderStatus } from "./read-order-status";
import { RecentOrders } from "./recent-orders";
import { replayDeadLetter } from "./replay-dead-letter";
import { type SubmitOrdersDeps, submitOrders } from "./submit-orders";

export type OrderServicesDeps = OrderStatusDeps &
  Omit<SubmitOrdersDeps, "recentOrders"> & {
    prisma: PrismaClient;
    orderLog: OrderLog;
    limits: FlowLimits;
    figures: LiveFigures;
  };

/** All callers together read each of these once in its interval. */
const ENGINES_MS = 900;
const SYMBOLS_MS = 800;
const STATUS_MS = 800;

/** Queries and actions of the order side: orders, symbols, engines, dead letters. */
export function createOrderServices(deps: OrderServicesDeps) {
  const { prisma, orderLog, plans, figures, limits } = deps;
  const recentOrders = new RecentOrders();
  const suggestions = new SuggestionStore(deps.redis, deps.log);
  const heat = new HeatReader(deps.redis);
  const symbols = readOnce(SYMBOLS_MS, () =>
    readSymbols({ prisma, plans, figures, heat, suggestions, limits }),
  );
  const chooseSubKeys = (symbol: string, factor: number) => figures.chooseSubKeys(symbol, factor, limits);
  const shardCount = async () => (await orderLog.readMap()).open.length;
  const status = readOnce(STATUS_MS, async () => {
    const live = await figures.read();
    const [status, symbols] = await Promise.all([
      readOrderStatus(
        deps,
        live.map.open.map(({ id }) => id),
      ),
      readShardSymbols(deps.redis, { figures: live, limits }),
    ]);
    return {
      ...status,
      shards: status.shards.map(shard => ({
        ...shard,
        flow: live.shards.get(shard.shardId) ?? null,
        symbols: symbols.get(shard.shardId) ?? null,
      })),
    };
  });
  const engines = readOnce(ENGINES_MS, async () => ({ rows: await listEngines(deps) })).read;
  const afterListing = async <Result>(change: Promise<Result>): Promise<Result> => {
    const result = await change;
    await plans.refresh().catch(() => {});
    symbols.forget();
    return result;
  };
  return {
    addSymbol: (audit: AuditContext, input: AddSymbol) => afterListing(addSymbol(prisma, audit, input)),
    changeListing: (audit: AuditContext, change: "halt" | "resume", request: ListingRequest) =>
      afterListing(changeListing(prisma, audit, change, request)),
    delistSymbol: (audit: AuditContext, request: ListingRequest) =>
      afterListing(delistSymbol(deps, audit, request)),
    pendingOrders: (symbol: string) => readDelistProblem(deps, symbol),
    submit: (audit: AuditContext, input: { orders: OrderInput[]; waitForDurable: boolean }) =>
      submitOrders({ ...deps, recentOrders }, audit.actor.id ?? audit.actor.name, input),
    readOrder: (request: OrderRequest) => readOrder({ ...deps, recentOrders }, request),
    listOrders: (request: { accountId: string; symbol: string; limit: number }) =>
      listOrders({ ...deps, recentOrders }, request),
    listSymbols: symbols.read,
    symbolPage: async (request: SymbolPageRequest) => symbolPage(await symbols.read(), request),
    previewSplit: (request: { symbol: string; factor: number; placement: PlacementMode }) =>
      previewSplit(deps, request),
    async changeSplitPlan(audit: AuditContext, change: ChangeSplitPlan) {
      // The sub-keys are chosen by the figures of the preview that the trader saw a moment ago.
      await figures.read().catch(() => {});
      const changed = await changeSplitPlan({ prisma, shardCount, chooseSubKeys }, audit, change);
      // The plan is in force: every server reads it within a second, also when this one can't now.
      await plans.refresh().catch(() => {});
      symbols.forget();
      return changed;
    },
    async dismissSuggestion(audit: AuditContext, input: DismissSuggestion) {
      const dismissed = await dismissSuggestion({ prisma, suggestions }, audit, input);
      symbols.forget();
      return dismissed;
    },
    async setAutomaticMode(audit: AuditContext, input: SetAutomaticMode) {
      await setAutomaticMode(prisma, audit, input);
      symbols.forget();
    },
    trace: (request: OrderRequest) => traceOrder({ ...deps, recentOrders, engines }, request),
    listEngines: engines,
    readEngine: (symbol: string) => readEngine(deps.pool, symbol),
    previewContinuation: (symbol: string) => previewContinuation(deps, symbol),
    continueSymbol: (audit: AuditContext, input: Parameters<typeof continueSymbol>[2]) =>
      continueSymbol(deps, audit, input),
    status: status.read,
    shardSeries: async (range: { fromMs: number; toMs: number }) => {
      const { open } = await orderLog.readMap();
      const ids = open.map(({ id }) => id);
      return { ...(await readShardSeries(deps.redis, ids, range)), limits };
    },
    deadLetters: (limit: number) => listDeadLetters(deps, limit),
    replay: (audit: AuditContext, event: Parameters<typeof replayDeadLetter>[2]) =>
      replayDeadLetter(deps, audit, event),
  };
}

export type OrderServices = ReturnType<typeof createOrderServices>;
