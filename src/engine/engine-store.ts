import type { Order } from "../domain/orders/order";
import { inTransaction, type Pool } from "../store/postgres";
import type { OrderOutcome } from "./order-outcomes";
import { insertOutcomes, purgeOutcomes, selectOutcomes, updateOutcomes } from "./outcome-rows";
import { LeaseLost } from "./symbol-consumer";
import type { Results, Totals } from "./symbol-engine";

export type StoredState = {
  position: number;
  /** Of the order at `position`; null: it was matched before stamps were kept. */
  lastStamp: string | null;
  snapshot: Buffer | null;
};

export type Commit = {
  symbol: string;
  epoch: number;
  /** The position that is stored before, and the one that is stored now. */
  before: number;
  position: number;
  lastStamp: string | null;
  totals: Totals;
  results: Results;
  snapshot: Buffer | null;
};

/** The engine's results, stored in one transaction with the position that they belong to. */
export class EngineStore {
  /** @param kept how many of a symbol's newest positions keep their trades, rejects and orders */
  constructor(
    private readonly pool: Pool,
    private readonly kept = 1_000_000,
  ) {}

  /** Refuses engines of earlier epochs from here on. @throws LeaseLost */
  async claim(symbol: string, epoch: number): Promise<StoredState> {
    const { rows } = await this.pool.query<{
      position: string;
      last_stamp: string | null;
      snapshot: Buffer | null;
    }>(
      `INSERT INTO engine_states AS s
         (symbol, epoch, position, orders, trades, rejects, violations, snapshot_position)
       VALUES ($1, $2, 0, 0, 0, 0, 0, 0)
       ON CONFLICT (symbol) DO UPDATE SET epoch = EXCLUDED.epoch WHERE s.epoch <= EXCLUDED.epoch
       RETURNING position, last_stamp, snapshot`,
      [symbol, epoch],
    );
    const row = rows[0];
    if (!row) throw new LeaseLost(`${symbol} has a later engine`);
    return { position: Number(row.position), lastStamp: row.last_stamp, snapshot: row.snapshot };
  }

  /** The stored outcomes of these orders, and of those that they cancel. */
  findOutcomes(symbol: string, orders: readonly Order[]): Promise<OrderOutcome[]> {
    return selectOutcomes(this.pool, symbol, orders);
  }

  /** @throws LeaseLost */
  async commit(commit: Commit): Promise<void> {
    const { symbol, epoch, before, position, lastStamp, totals, results, snapshot } = commit;
    const { trades, rejects } = results;
    const { orders, changes } = results.outcomes.changesAfter(before);
    await inTransaction(this.pool, async client => {
      const { rowCount } = await client.query({
        name: "engine-commit",
        text: `UPDATE engine_states SET position = $4, orders = $5, trades = $6, rejects = $7, violations = $8,
                 last_stamp = $10, snapshot = COALESCE($9, snapshot),
                 snapshot_position = CASE WHEN $9::bytea IS NULL THEN snapshot_position ELSE $4 END
               WHERE symbol = $1 AND epoch = $2 AND position = $3`,
        values: [
          symbol,
          epoch,
          before,
          position,
          totals.orders,
          totals.trades,
          totals.rejects,
          totals.violations,
          snapshot,
          lastStamp,
        ],
      });
      if (rowCount !== 1) throw new LeaseLost(`${symbol} has a later engine`);
      if (trades.length > 0)
        await client.query({
          name: "engine-trades",
          text: `INSERT INTO engine_trades
                 SELECT $1, * FROM unnest($2::bigint[], $3::int[], $4::bigint[], $5::bigint[],
                                          $6::text[], $7::text[], $8::text[], $9::text[], $10::bigint[])`,
          values: [
            symbol,
            ...(["position", "number", "price", "quantity"] as const).map(key => trades.map(t => t[key])),
            ...(["takerAccount", "takerOrderId", "makerAccount", "makerOrderId"] as const).map(key =>
              trades.map(t => t[key]),
            ),
            trades.map(t => t.timeUs),
          ],
        });
      if (rejects.length > 0)
        await client.query({
          name: "engine-rejects",
          text: `INSERT INTO engine_rejects
                 SELECT $1, * FROM unnest($2::bigint[], $3::text[], $4::text[], $5::text[])`,
          values: [
            symbol,
            ...(["position", "accountId", "orderId", "reason"] as const).map(key => rejects.map(r => r[key])),
          ],
        });
      await insertOutcomes(client, symbol, orders);
      await updateOutcomes(client, symbol, changes);
    });
  }

  /**
   * Stores a snapshot of the stored position. From then on the orders before it are not needed again.
   * False: the engine has stored something else since.
   */
  async storeSnapshot(symbol: string, position: number, snapshot: Buffer): Promise<boolean> {
    const { rowCount } = await this.pool.query(
      `UPDATE engine_states SET snapshot = $3, snapshot_position = position WHERE symbol = $1 AND position = $2`,
      [symbol, position, snapshot],
    );
    return rowCount === 1;
  }

  /** Deletes old trades, rejects and orders that are not open, at most `limit` of each. Resolves to the number of deleted rows. */
  async purge(symbol: string, position: number, limit: number): Promise<number> {
    if (position <= this.kept) return 0;
    const upTo = position - this.kept;
    let gone = await purgeOutcomes(this.pool, symbol, { upTo, limit });
    for (const table of ["engine_trades", "engine_rejects"]) {
      const { rowCount } = await this.pool.query(
        `DELETE FROM ${table} WHERE ctid = ANY(ARRAY(
           SELECT ctid FROM ${table} WHERE symbol = $1 AND position <= $2 LIMIT $3))`,
        [symbol, upTo, limit],
      );
      gone += rowCount ?? 0;
    }
    return gone;
  }
}
