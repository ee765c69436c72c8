import type { OrderLog } from "../../domain/orders/order-log";
import { PlanBook } from "../../orders/plan-book";
import type { ShardLimits } from "../../orders/redis-log";
import type { Logger } from "../../runtime/logger";
import { runLoop } from "../../runtime/run-loop";
import { LiveFigures } from "../../services/symbols/live-figures";
import { SuggestionStore } from "../../services/symbols/suggestion-store";
import { AdvisoryLock } from "../../store/advisory-lock";
import { createPrisma, type Pool } from "../../store/postgres";
import type { RedisClient } from "../../store/redis";
import { SymbolWatch } from "./symbol-watch";

type Deps = {
  pool: Pool;
  redis: RedisClient;
  orderLog: OrderLog;
  logName: string;
  limits: ShardLimits;
  log: Logger;
  /** The log has shards; before that there is nothing to watch. */
  isPrepared: () => boolean;
  /** No producer has joined: figures can only fall. */
  isQuiet: () => boolean;
};

const EVERY_MS = 1_000;
const QUIET_MS = 4_000;

/** Watches symbols while this process holds the lock; see symbol-watch.ts. */
export function watchSymbols(deps: Deps): { stop(): Promise<void> } {
  const { pool, redis, orderLog, logName, limits, log, isPrepared, isQuiet } = deps;
  const prisma = createPrisma(pool);
  const plans = new PlanBook(pool);
  const figures = new LiveFigures({ redis, plans, orderLog });
  const suggestions = new SuggestionStore(redis, logName);
  const watch = new SymbolWatch({ prisma, plans, figures, suggestions, limits, log });
  const lock = new AdvisoryLock(pool, `floodgate symbol watch ${logName}`);
  const loop = runLoop({
    name: "watch symbols",
    everyMs: EVERY_MS,
    maxBackoffMs: 5_000,
    step: async () => {
      if (!isPrepared()) return "idle";
      if (await lock.acquire()) await watch.watchOnce();
      else watch.reset();
      return isQuiet() ? { waitMs: QUIET_MS } : "idle";
    },
    onError: err => log.warn({ err }, "symbol watch failed"),
  });
  return {
    async stop() {
      await loop.stop();
      lock.release();
      await prisma.$disconnect();
    },
  };
}
