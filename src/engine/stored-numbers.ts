import { partitionOf } from "../domain/orders/order-partition";
import { UNREGISTERED_PRODUCERS } from "../domain/orders/order-stamp";
import type { Pool } from "../store/postgres";

/** The highest epoch of each partition with which an engine has claimed one of its symbols. */
export async function readEngineEpochs(pool: Pool): Promise<Map<number, number>> {
  const { rows } = await pool.query<EpochRow>("SELECT symbol, epoch FROM engine_states");
  return epochsByPartition(rows);
}

type EpochRow = { symbol: string; epoch: string };

/** The highest epoch of each partition. */
export function epochsByPartition(rows: readonly EpochRow[]): Map<number, number> {
  const epochs = new Map<number, number>();
  for (const { symbol, epoch } of rows) {
    const partition = partitionOf(symbol);
    epochs.set(partition, Math.max(epochs.get(partition) ?? 0, Number(epoch)));
  }
  return epochs;
}

/** The highest time (µs) and the highest producer of the last matched orders. Zeros when there are none. */
export async function readHighestStamp(pool: Pool): Promise<{ lastUs: number; producer: number }> {
  const { rows } = await pool.query<{ last_us: string | null; producer: string | null }>(
    `SELECT max(split_part(last_stamp, ':', 1)::bigint) AS last_us,
            max(split_part(last_stamp, ':', 2)::bigint) FILTER (WHERE split_part(last_stamp, ':', 2)::bigint < $1)
              AS producer
     FROM engine_states WHERE last_stamp IS NOT NULL`,
    [UNREGISTERED_PRODUCERS],
  );
  return { lastUs: Number(rows[0]?.last_us ?? 0), producer: Number(rows[0]?.producer ?? 0) };
}
