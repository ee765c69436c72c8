import type { Logger } from "../runtime/logger";
import { type RunningLoop, runLoop } from "../runtime/run-loop";
import type { Leases, PartitionLeases } from "../store/partition-leases";

type Options = {
  partitions: PartitionLeases;
  ttlMs: number;
  log: Logger;
  /** Those that are held at the moment, as the worker knows them. */
  held: () => Leases;
  /** Other partitions, or other epochs: whatever was made for the ones before is of no more use. */
  onChange: (leases: Leases) => void;
};

/** Renews a worker's leases well before they run out, and says when they are others. */
export function keepLeases({ partitions, ttlMs, log, held, onChange }: Options): RunningLoop {
  return runLoop({
    name: "leases",
    everyMs: ttlMs / 4,
    maxBackoffMs: 1_000,
    step: async () => {
      const now = await partitions.renew();
      const before = held();
      const isSame = now.size === before.size && [...now].every(([p, epoch]) => before.get(p) === epoch);
      if (!isSame) {
        onChange(now);
        log.info({ partitions: [...now.keys()] }, "partitions");
      }
      return "idle";
    },
    onError: err => log.warn({ err }, "leases could not be renewed"),
  });
}
