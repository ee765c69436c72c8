import { groupByShard } from "../../filter/deliver";
import type { FilterEngine } from "../../filter/engine";
import { type FilterVersion, shardLayout } from "../../filter/layout";

const LOOKUPS = 200_000;
const PAGE = 20_000;
/** Standard deviations of a 95% interval. */
const Z = 1.96;

/** Looks up free names. Low and high: Wilson's 95% interval of the ratio of "maybe" answers. */
export async function measureFalsePositives(
  engine: FilterEngine,
  version: FilterVersion,
  perShard: { names: number }[],
) {
  let maybe = 0;
  for (let from = 0; from < LOOKUPS; from += PAGE) {
    const keys = Array.from({ length: PAGE }, (_, i) => `absent:${from + i}`);
    for (const [shard, indexes] of groupByShard(keys)) {
      const names = indexes.map(index => keys[index]!);
      const answers = await engine.lookupMany(version, shard, names);
      if (answers.includes("unsealed")) throw new Error(`shard ${shard} proves nothing`);
      maybe += answers.filter(answer => answer === "maybe").length;
    }
  }
  const quantile = maybe / LOOKUPS;
  const centre = quantile + Z ** 2 / (2 * LOOKUPS);
  const half = Z * Math.sqrt((quantile * (1 - quantile)) / LOOKUPS + Z ** 2 / (4 * LOOKUPS ** 2));
  const scale = 1 + Z ** 2 / LOOKUPS;
  const { hashes, bits } = shardLayout(version);
  const expected = perShard.map(({ names }) => (1 - Math.exp((-hashes * names) / bits)) ** hashes);
  return {
    falsePositives: quantile,
    falsePositivesLow: (centre - half) / scale,
    falsePositivesHigh: (centre + half) / scale,
    /** By theory, for the names that are in it. */
    falsePositivesExpected: expected.reduce((sum, one) => sum + one, 0) / expected.length,
  };
}
