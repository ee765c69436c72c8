import type { OrderInput } from "../domain/order";
import type { OrderLog } from "../domain/order-log";
import type { FlowLimits } from "../domain/shard-load";
import type { PlacementMode } from "../domain/split-plan";
import type { PrismaClient } from "../store/postgres";
import { readShardSeries } from "../telemetry/read-shard-series";
import { listEngines } from "./engines/list-engines";
import { readEngine } from "./engines/read-engine";
import { listSetAside } from "./list-set-aside";
import { readOnce } from "./read-once";
import { type OrderStatusDeps, readOrderStatus } from "./read-order-status";
import { sendAgain } from "./send-again";
import { type SubmitOrdersDeps, submitOrders } from "./submit-orders";
import { type ChangeSplitPlan, changeSplitPlan } from "./symbols/change-split-plan";
import { type DismissSuggestion, dismissSuggestion } from "./symbols/dismiss-suggestion";
import { listSymbols } from "./symbols/list-symbols";
import type { LiveFigures } from "./symbols/live-figures";
import { previewSplit } from "./symbols/preview-split";
import { HeatReader } from "./symbols/read-heat";
import { readShardSymbols } from "./symbols/read-shard-symbols";
import { readSuggestions } from "./symbols/read-suggestions";
import { type SetAutomaticMode, setAutomaticMode } from "./symbols/set-automatic-mode";
import { SuggestionBoard } from "./symbols/suggestion-board";
import type { By } from "./write-audit";

export type OrderServicesDeps = OrderStatusDeps &
  SubmitOrdersDeps & {
    prisma: PrismaClient;
    orderLog: OrderLog;
    limits: FlowLimits;
    figures: LiveFigures;
  };

const ENGINES_MS = 900;
/** However many look, how orders flow is read once in so long. */
const STATUS_MS = 800;

/** What machines and traders can do with orders and hot symbols. */
export function createOrderServices(deps: OrderServicesDeps) {
  const { prisma, orderLog, plans, figures, limits } = deps;
  const heat = new HeatReader(deps.redis);
  const board = new SuggestionBoard(deps.redis, deps.log);
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
        flow: live.isCounted ? (live.shards.get(shard.shardId) ?? null) : null,
        symbols: symbols.get(shard.shardId) ?? null,
      })),
    };
  });
  return {
    submit: (by: By, input: { orders: OrderInput[]; waitForDurable: boolean }) =>
      submitOrders(deps, by.actor.id ?? by.actor.name, input),
    async listSymbols() {
      const live = await figures.read();
      const [of, watched] = await Promise.all([
        heat.read([...plans.tradedSymbols.keys()]),
        readSuggestions({ prisma, board }),
      ]);
      const rows = listSymbols(plans, { figures: live, heat: of, limits });
      return {
        rows: rows.map(row => ({ ...row, ...watched.of(row.symbol) })),
        watchedAt: watched.watchedAt,
        shards: live.map.open.map(({ id }) => ({
          shardId: id,
          flow: live.isCounted ? (live.shards.get(id) ?? null) : null,
        })),
        ...{ limits, heatFromMs: of.fromMs, heatStepMs: of.stepMs },
      };
    },
    previewSplit: (wish: { symbol: string; factor: number; placement: PlacementMode }) =>
      previewSplit(deps, wish),
    async changeSplitPlan(by: By, change: ChangeSplitPlan) {
      const plan = await changeSplitPlan({ prisma, shardCount }, by, change);
      // Placed by what the trader has seen in the preview, a moment ago.
      await figures.read().catch(() => {});
      await plans.refresh();
      return { epoch: plan.epoch };
    },
    dismissSuggestion: (by: By, input: DismissSuggestion) => dismissSuggestion({ prisma, board }, by, input),
    setAutomaticMode: (by: By, input: SetAutomaticMode) => setAutomaticMode(prisma, by, input),
    listEngines: readOnce(ENGINES_MS, async () => ({ rows: await listEngines(deps) })).read,
    readEngine: (symbol: string) => readEngine(deps.pool, symbol),
    status: status.read,
    shardSeries: async (range: { fromMs: number; toMs: number }) => {
      const { open } = await orderLog.readMap();
      const ids = open.map(({ id }) => id);
      return { ...(await readShardSeries(deps.redis, ids, range)), limits };
    },
    setAside: (limit: number) => listSetAside(deps, limit),
    sendAgain: (by: By, event: { id: string; reason: string }) => sendAgain(deps, by, event),
  };
}

export type OrderServices = ReturnType<typeof createOrderServices>;
