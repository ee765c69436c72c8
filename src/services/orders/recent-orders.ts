type Id = { accountId: string; orderId: string };

const MOST = 100_000;

/** The ids of the last orders that this server took: between 100,000 and 200,000 of them. */
export class RecentOrders {
  private newer = new Set<string>();
  private older = new Set<string>();

  add(orders: readonly Id[]): void {
    for (const order of orders) this.newer.add(keyOf(order));
    if (this.newer.size < MOST) return;
    this.older = this.newer;
    this.newer = new Set();
  }

  has(order: Id): boolean {
    const key = keyOf(order);
    return this.newer.has(key) || this.older.has(key);
  }
}

/** Neither id can hold a colon. */
const keyOf = ({ accountId, orderId }: Id) => `${accountId}:${orderId}`;
