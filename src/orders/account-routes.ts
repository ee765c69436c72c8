import type { SubKey } from "../domain/orders/split-placement";

/** The sub-key of an account's orders of one symbol, as long as one of them is not durable. */
export class AccountRoute {
  private pending = 0;

  constructor(
    private readonly owner: Map<string, AccountRoute>,
    readonly accountId: string,
    readonly subKey: SubKey,
  ) {}

  take(): this {
    this.pending += 1;
    return this;
  }

  /** An order is durable, has failed, or leaves its record. */
  release(): void {
    this.pending -= 1;
    if (this.pending === 0) this.owner.delete(this.accountId);
  }
}

/**
 * Keeps each account's orders in order (ADR 24): while orders of an account are pending, its next ones
 * follow them into the same queue, so no later order can become durable before an earlier one, and a fence
 * restamps all that is pending in the old order.
 */
export class AccountRoutes {
  private readonly bySymbol = new Map<string, Map<string, AccountRoute>>();

  /** @param choose the sub-key for an account without pending orders */
  routeFor(symbol: string, accountId: string, choose: () => SubKey): AccountRoute {
    let routes = this.bySymbol.get(symbol);
    if (!routes) {
      routes = new Map();
      this.bySymbol.set(symbol, routes);
    }
    let route = routes.get(accountId);
    if (!route) {
      route = new AccountRoute(routes, accountId, choose());
      routes.set(accountId, route);
    }
    return route.take();
  }
}
