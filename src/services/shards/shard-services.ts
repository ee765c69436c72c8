import type { ShardChange } from "../../domain/orders/shard-change";
import type { AuditContext } from "../audit/write-audit";
import { type ChangeShards, type ChangeShardsDeps, changeShards } from "./change-shards";
import { type ListShardsDeps, listShards } from "./list-shards";
import { previewShards } from "./preview-shards";

export type ShardServicesDeps = ListShardsDeps & ChangeShardsDeps;

/** Queries and actions of the order log's shards. */
export function createShardServices(deps: ShardServicesDeps) {
  return {
    list: () => listShards(deps),
    preview: (change: ShardChange) => previewShards(deps, change),
    async change(audit: AuditContext, input: ChangeShards) {
      const changed = await changeShards(deps, audit, input);
      // The answers after this one show the new shards.
      await deps.figures.readWithin(0).catch(() => {});
      return changed;
    },
  };
}

export type ShardServices = ReturnType<typeof createShardServices>;
