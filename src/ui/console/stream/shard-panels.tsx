import { ShardDialog } from "./shard-dialog";
import { ShardDrawer, type ShardDrawerProps } from "./shard-drawer";
import type { ShardRequest } from "./shard-request";

type ShardPanelsProps = Omit<ShardDrawerProps, "series"> & {
  change: ShardRequest | null;
  series: ShardDrawerProps["series"] | undefined;
};

/** The details of a shard, or the dialog that changes it. */
export default function ShardPanels({ change, series, ...drawer }: ShardPanelsProps) {
  const { shardId, onClose } = drawer;
  return (
    <>
      {change !== null && <ShardDialog request={change} shardId={shardId} onClose={onClose} />}
      {series && <ShardDrawer {...drawer} series={series} shardId={change === null ? shardId : null} />}
    </>
  );
}
