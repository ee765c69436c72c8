import type { GateTotals } from "../../domain/filter/bake";
import type { RedisClient } from "../../store/redis";
import { idOf } from "../../telemetry/instruments";
import { readTotals } from "../../telemetry/read-totals";

const lookups = (answer: string) => idOf("bloom_lookups_total", answer);
const IDS = {
  absent: lookups("absent"),
  maybe: lookups("maybe"),
  unavailable: lookups("unavailable"),
  falsePositives: "bloom_false_positive_total",
  falseNegatives: "bloom_false_negative_total",
};

/** The gate's counts in an interval, over all servers. @throws when Redis does not answer */
export async function readGateTotals(
  redis: RedisClient,
  { fromMs, toMs }: { fromMs: number; toMs: number },
): Promise<GateTotals> {
  const totals = await readTotals(redis, Object.values(IDS), { fromMs, toMs });
  const read = (id: string) => totals[id] ?? 0;
  return {
    absent: read(IDS.absent),
    maybe: read(IDS.maybe),
    unavailable: read(IDS.unavailable),
    falsePositives: read(IDS.falsePositives),
    falseNegatives: read(IDS.falseNegatives),
  };
}
