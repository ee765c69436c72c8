import type { OrderLog } from "../domain/orders/order-log";
import type { ProducerRegistry } from "../store/producer-registry";
import { DEFAULT_SILENCE_MS } from "./order-log-settings";
import type { PlanBook } from "./plan-book";
import type { ProducerDeps } from "./producer-deps";
import { ProducerLoops, type ProducerLoopsOptions } from "./producer-loops";
import { SharedClock } from "./shared-clock";

export type CreateProducer = {
  log: OrderLog;
  registry: ProducerRegistry;
  plans: PlanBook;
  onError: (error: unknown) => void;
  onAppend?: ProducerDeps["onAppend"];
  settings?: Partial<ProducerDeps["settings"]>;
} & Partial<Pick<ProducerLoopsOptions, "lingerMs" | "publishEveryMs" | "idleMs">>;

/** A producer with the settings of production, which follows the plans of the book. */
export function createProducer(options: CreateProducer): ProducerLoops {
  const { log, registry, plans, onError, onAppend, settings } = options;
  return new ProducerLoops({
    log,
    registry,
    onError,
    onAppend,
    clock: new SharedClock(),
    route: (symbol, accountId, map) => plans.route(symbol, accountId, map),
    isPlaced: (symbol, partitionKey, map) =>
      plans.subKeysOf(symbol, map).some(subKey => subKey.partitionKey === partitionKey),
    settings: {
      maxBuffered: 100_000,
      backoffMs: 50,
      maxBackoffMs: 1_000,
      silenceMs: DEFAULT_SILENCE_MS,
      restampedAtOnce: 2_000,
      maxRecordBytes: 256 * 1_024,
      maxOrdersPerRecord: 2_000,
      ...settings,
    },
    lingerMs: options.lingerMs ?? 3,
    publishEveryMs: options.publishEveryMs ?? 10,
    idleMs: options.idleMs ?? 10_000,
  });
}
