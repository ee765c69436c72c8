import type { ShardMap } from "../domain/orders/hash-range";
import type { TradedSymbol } from "../domain/orders/order";
import { accountSlot } from "../domain/orders/order-partition";
import { placeChosen, placePlain, placePlanned, type SubKey } from "../domain/orders/split-placement";
import {
  type FactorInForce,
  factorAt,
  type PlacementMode,
  type SplitPlan,
  type Strategy,
} from "../domain/orders/split-plan";
import type { ListedSymbol, ListingState } from "../domain/orders/symbol-listing";
import type { Pool } from "../store/postgres";

type Placed = {
  plan: SplitPlan | undefined;
  factor: number;
  chosen: readonly string[];
  map: ShardMap;
  subKeys: SubKey[];
};
type PlanRow = {
  symbol: string;
  price_decimals: number;
  quantity_decimals: number;
  state: ListingState;
  state_reason: string | null;
  state_since: Date;
  state_by: string | null;
  state_version: number;
  epoch: number | null;
  factor: number;
  strategy: Strategy;
  placement: PlacementMode;
  reason: string;
  set_by: string;
  set_at: Date;
  expires_at: Date | null;
  sub_keys: string[];
};
type Choice = { symbol: string; epoch: number; subKeys: string[] };

/** The partition keys of a new split, by the loads of the shards. Null: the loads are not known. */
export type ChooseSubKeys = (symbol: string, factor: number) => string[] | null;

/**
 * Symbols and split plans as of the last `refresh`, and the routes of orders under them. A refresh without a
 * change reads one row; two a second keep every producer within a second of a change. The first process that reads a
 * plan without sub-keys, and knows the loads of the shards, stores them. All others follow (placeChosen).
 */
export class PlanBook {
  private symbols: ReadonlyMap<string, ListedSymbol> = new Map();
  private delisted: ReadonlyMap<string, TradedSymbol> = new Map();
  private plans: ReadonlyMap<string, SplitPlan> = new Map();
  /** The stored partition keys of the plans; they never change. */
  private chosen: ReadonlyMap<string, readonly string[]> = new Map();
  private readonly placed = new Map<string, Placed>();
  /** Of the rows that were read last. */
  private revision: string | null = null;
  /** A planned split in force has no sub-keys yet. */
  private isUnchosen = false;

  constructor(
    private readonly pool: Pool,
    private readonly random: () => number = Math.random,
  ) {}

  /** Those that trade or are halted. */
  get tradedSymbols(): ReadonlyMap<string, ListedSymbol> {
    return this.symbols;
  }

  /** The decimals of a symbol, also of a delisted one. */
  decimalsOf(symbol: string): TradedSymbol | undefined {
    return this.symbols.get(symbol) ?? this.delisted.get(symbol);
  }

  planOf(symbol: string): SplitPlan | undefined {
    return this.plans.get(symbol);
  }

  /**
   * Rejects when the database does not answer; the last plans stay.
   * @param chooseSubKeys without it this process only follows the choices of others
   */
  async refresh(chooseSubKeys?: ChooseSubKeys): Promise<void> {
    // Read before the rows: a change in between is read again.
    const revision = await this.readRevision();
    if (revision === this.revision && !(chooseSubKeys && this.isUnchosen)) return;
    let rows = await this.readRows();
    const choices = chooseSubKeys ? choicesFor(rows, chooseSubKeys) : [];
    if (choices.length > 0) {
      for (const choice of choices) await this.write(choice);
      // Another process may have been faster.
      rows = await this.readRows();
    }
    const symbols = new Map<string, ListedSymbol>();
    const delisted = new Map<string, TradedSymbol>();
    const plans = new Map<string, SplitPlan>();
    const chosen = new Map<string, readonly string[]>();
    for (const row of rows) {
      const { symbol } = row;
      if (row.state === "delisted") {
        delisted.set(symbol, toListed(row));
        continue;
      }
      symbols.set(symbol, toListed(row));
      const plan = toPlan(row);
      if (plan === null) continue;
      plans.set(symbol, plan);
      chosen.set(symbol, row.sub_keys);
    }
    this.symbols = symbols;
    this.delisted = delisted;
    this.plans = plans;
    this.chosen = chosen;
    this.isUnchosen = rows.some(isUnchosen);
    this.revision = revision;
  }

  /** The sub-key that an order takes. */
  route(symbol: string, accountId: string, map: ShardMap): SubKey {
    const subKeys = this.subKeysOf(symbol, map);
    if (subKeys.length === 1) return subKeys[0]!;
    const strategy = this.plans.get(symbol)?.strategy ?? "account";
    const slot =
      strategy === "account"
        ? accountSlot(accountId, subKeys.length)
        : Math.floor(this.random() * subKeys.length);
    return subKeys[slot]!;
  }

  /** The present shard of each sub-key: the same in every process that knows the plan and the shards. */
  subKeysOf(symbol: string, map: ShardMap): SubKey[] {
    const plan = this.plans.get(symbol);
    const factor = factorAt(plan, Date.now());
    const known = this.placed.get(symbol);
    const chosen = this.chosen.get(symbol) ?? [];
    const isSame =
      known?.plan?.epoch === plan?.epoch && known?.factor === factor && known.chosen.length === chosen.length;
    if (known && isSame && known.map.version === map.version) return known.subKeys;
    const subKeys = place({ symbol, plan, factor, chosen }, map);
    this.placed.set(symbol, { plan, factor, chosen, map, subKeys });
    return subKeys;
  }

  /** Where the sub-keys would land on other shards than the present ones. */
  placeOn(symbol: string, map: ShardMap): SubKey[] {
    const plan = this.plans.get(symbol);
    const chosen = this.chosen.get(symbol) ?? [];
    return place({ symbol, plan, factor: factorAt(plan, Date.now()), chosen }, map);
  }

  /** The symbols that are split at this moment. */
  factorsInForce(): FactorInForce[] {
    const now = Date.now();
    return [...this.plans.values()]
      .map(plan => ({ symbol: plan.symbol, factor: factorAt(plan, now) }))
      .filter(({ factor }) => factor > 1);
  }

  private async readRevision(): Promise<string> {
    const { rows } = await this.pool.query<{ revision: string }>({
      name: "plan-revision",
      text: "SELECT revision FROM plan_revision",
    });
    return rows[0]!.revision;
  }

  private async readRows(): Promise<PlanRow[]> {
    const { rows } = await this.pool.query<PlanRow>({
      name: "plan-book",
      text: `SELECT s.symbol, s.price_decimals, s.quantity_decimals, s.state, s.state_reason, s.state_since,
               s.state_by, s.state_version, p.epoch, p.factor, p.strategy, p.placement,
               p.reason, p.set_by, p.set_at, p.expires_at, p.sub_keys
             FROM traded_symbols s LEFT JOIN LATERAL
               (SELECT * FROM split_plans p WHERE p.symbol = s.symbol ORDER BY epoch DESC LIMIT 1) p ON true`,
    });
    return rows;
  }

  /** Of concurrent choices the first one counts. */
  private async write({ symbol, epoch, subKeys }: Choice): Promise<void> {
    await this.pool.query(
      "UPDATE split_plans SET sub_keys = $3 WHERE symbol = $1 AND epoch = $2 AND sub_keys = '{}'",
      [symbol, epoch, subKeys],
    );
  }
}

function toListed(row: PlanRow): ListedSymbol {
  return {
    symbol: row.symbol,
    priceDecimals: row.price_decimals,
    quantityDecimals: row.quantity_decimals,
    listingVersion: row.state_version,
    halt:
      row.state === "halted"
        ? { reason: row.state_reason ?? "", since: row.state_since, by: row.state_by ?? "" }
        : null,
  };
}

/** Null: the symbol was never split. */
function toPlan({ symbol, epoch, factor, strategy, placement, reason, ...row }: PlanRow): SplitPlan | null {
  if (epoch === null) return null;
  const { set_by: setBy, set_at: setAt, expires_at: expiresAt } = row;
  return { symbol, epoch, factor, strategy, placement, reason, setBy, setAt, expiresAt };
}

/** A planned split in force that has no sub-keys yet. */
function isUnchosen({ epoch, factor, placement, expires_at, sub_keys }: PlanRow): boolean {
  const isOver = expires_at !== null && expires_at.getTime() <= Date.now();
  return epoch !== null && factor > 1 && placement === "planned" && !isOver && sub_keys.length === 0;
}

function choicesFor(rows: readonly PlanRow[], chooseSubKeys: ChooseSubKeys): Choice[] {
  return rows.filter(isUnchosen).flatMap(({ symbol, epoch, factor }) => {
    const subKeys = chooseSubKeys(symbol, factor);
    return subKeys === null ? [] : [{ symbol, epoch: epoch!, subKeys }];
  });
}

function place(
  { symbol, plan, factor, chosen }: Omit<Placed, "map" | "subKeys"> & { symbol: string },
  map: ShardMap,
): SubKey[] {
  if (plan?.placement === "plain") return placePlain(symbol, factor, map);
  if (factor > 1 && chosen.length > 0) return placeChosen(symbol, chosen, map);
  // Until sub-keys are stored, every process places them as if all shards were idle.
  return placePlanned(symbol, factor, map);
}
