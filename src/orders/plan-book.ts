import type { ShardMap } from "../domain/hash-range";
import type { TradedSymbol } from "../domain/order";
import { accountSlot } from "../domain/order-partition";
import { placePlain, placePlanned, type ShardLoads, type SubKey } from "../domain/split-placement";
import { factorAt, type PlacementMode, type SplitPlan, type Strategy } from "../domain/split-plan";
import type { Pool } from "../store/postgres";

type Placed = { plan: SplitPlan | undefined; factor: number; map: ShardMap; subKeys: SubKey[] };

/**
 * Symbols and split plans as of the last look at the database, and where orders go under them. A look
 * costs one query; `refresh` four times a second keeps every producer within a second of a change.
 */
export class PlanBook {
  private symbols: ReadonlyMap<string, TradedSymbol> = new Map();
  private plans: ReadonlyMap<string, SplitPlan> = new Map();
  private readonly placed = new Map<string, Placed>();
  /** Shares of the shards' limits without this symbol; a plan takes them as they are when it is first followed. */
  loadsFor: (symbol: string) => ShardLoads = () => new Map();

  constructor(
    private readonly pool: Pool,
    private readonly random: () => number = Math.random,
  ) {}

  get tradedSymbols(): ReadonlyMap<string, TradedSymbol> {
    return this.symbols;
  }

  planOf(symbol: string): SplitPlan | undefined {
    return this.plans.get(symbol);
  }

  /** Rejects when the database does not answer; the last plans stay. */
  async refresh(): Promise<void> {
    const { rows } = await this.pool.query<{
      symbol: string;
      price_decimals: number;
      quantity_decimals: number;
      epoch: number | null;
      factor: number;
      strategy: Strategy;
      placement: PlacementMode;
      reason: string;
      set_by: string;
      set_at: Date;
      expires_at: Date | null;
    }>({
      name: "plan-book",
      text: `SELECT s.symbol, s.price_decimals, s.quantity_decimals, p.*, s.symbol AS symbol
             FROM traded_symbols s LEFT JOIN LATERAL
               (SELECT * FROM split_plans p WHERE p.symbol = s.symbol ORDER BY epoch DESC LIMIT 1) p ON true`,
    });
    const symbols = new Map<string, TradedSymbol>();
    const plans = new Map<string, SplitPlan>();
    for (const row of rows) {
      const { symbol } = row;
      symbols.set(symbol, {
        symbol,
        priceDecimals: row.price_decimals,
        quantityDecimals: row.quantity_decimals,
      });
      if (row.epoch === null) continue;
      const { epoch, factor, strategy, placement, reason } = row;
      const who = { reason, setBy: row.set_by, setAt: row.set_at, expiresAt: row.expires_at };
      plans.set(symbol, { symbol, epoch, factor, strategy, placement, ...who });
    }
    this.symbols = symbols;
    this.plans = plans;
  }

  /** The sub-key that an order takes. */
  route(symbol: string, accountId: string, map: ShardMap): SubKey {
    const subKeys = this.subKeysOf(symbol, map);
    if (subKeys.length === 1) return subKeys[0]!;
    const strategy = this.plans.get(symbol)?.strategy ?? "random";
    const slot =
      strategy === "account"
        ? accountSlot(accountId, subKeys.length)
        : Math.floor(this.random() * subKeys.length);
    return subKeys[slot]!;
  }

  /** Where each sub-key of a symbol lands at the moment. Recomputed after a reshard. */
  subKeysOf(symbol: string, map: ShardMap): SubKey[] {
    const plan = this.plans.get(symbol);
    const factor = factorAt(plan, Date.now());
    const known = this.placed.get(symbol);
    const isSame = known?.plan?.epoch === plan?.epoch && known?.factor === factor;
    if (known && isSame && known.map.version === map.version) return known.subKeys;
    const subKeys =
      plan?.placement === "plain"
        ? placePlain(symbol, factor, map)
        : placePlanned(symbol, factor, map, this.loadsFor(symbol));
    this.placed.set(symbol, { plan, factor, map, subKeys });
    return subKeys;
  }
}
