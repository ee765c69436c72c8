import { randomUUID } from "node:crypto";
import type { KeyChoice } from "../domain/lab/scenario";
import { type ShardMap, shardOfKey } from "../domain/orders/hash-range";
import { placePlain, placePlanned, type SubKey } from "../domain/orders/split-placement";

type Where = { symbol: string; map: ShardMap; random: () => number };

/** Where the next order goes, by the way its key is chosen. */
export function pickRoute(choice: KeyChoice, { symbol, map, random }: Where): () => SubKey {
  const shards = map.open.length;
  if (choice === "random")
    return () => {
      const partitionKey = randomUUID();
      return { partitionKey, shardId: shardOfKey(map.open, partitionKey).id };
    };
  if (choice === "hash") {
    const [only] = placePlain(symbol, 1, map);
    return () => only!;
  }
  const subKeys =
    choice === "splitPlain" ? placePlain(symbol, shards, map) : placePlanned(symbol, shards, map);
  return () => subKeys[Math.floor(random() * subKeys.length)]!;
}
