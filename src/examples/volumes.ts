import { epochsByPartition } from "../engine/stored-numbers";
import type { OrderedOrder, SymbolConsumer } from "../engine/symbol-consumer";
import { LeaseLost } from "../engine/symbol-consumer";
import type { Pool } from "../store/postgres";

/** A consumer of one's own: how many orders and units each symbol had, in a table. docs/ordered-stream.md explains it. */
export class VolumeConsumer implements SymbolConsumer {
  private constructor(
    private readonly pool: Pool,
    private readonly symbol: string,
    private readonly epoch: number,
    public position: number,
    readonly opened: SymbolConsumer["opened"],
  ) {}

  static async open(pool: Pool, symbol: string, epoch: number): Promise<VolumeConsumer> {
    const { rows } = await pool.query<{ position: string }>(
      `INSERT INTO volumes (symbol, epoch, position, orders, units) VALUES ($1, $2, 0, 0, 0)
       ON CONFLICT (symbol) DO UPDATE SET epoch = EXCLUDED.epoch WHERE volumes.epoch <= EXCLUDED.epoch
       RETURNING position`,
      [symbol, epoch],
    );
    if (!rows[0]) throw new LeaseLost(`${symbol} has a later owner`);
    const position = Number(rows[0].position);
    return new VolumeConsumer(pool, symbol, epoch, position, { position, lastStamp: null });
  }

  /** Of all symbols: an emptied Redis begins its leases above these epochs. */
  static async storedEpochs(pool: Pool): Promise<Map<number, number>> {
    const { rows } = await pool.query<{ symbol: string; epoch: string }>("SELECT symbol, epoch FROM volumes");
    return epochsByPartition(rows);
  }

  /** Each batch is stored at once, so nothing is ever read again. */
  get storedPosition(): number {
    return this.position;
  }

  /** One statement stores the results and the position, if no other process has stored in the meantime. */
  async apply(orders: readonly OrderedOrder[]): Promise<void> {
    const units = orders.reduce((sum, { order }) => sum + BigInt(order?.quantity ?? 0), 0n);
    const last = orders.at(-1)!.position;
    const { rowCount } = await this.pool.query(
      `UPDATE volumes SET position = $4, orders = orders + $5, units = units + $6
       WHERE symbol = $1 AND epoch = $2 AND position = $3`,
      [this.symbol, this.epoch, this.position, last, orders.length, units],
    );
    if (rowCount !== 1) throw new LeaseLost(`${this.symbol} has a later owner`);
    this.position = last;
  }
}
