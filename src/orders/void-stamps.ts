import { byStamp, type UnsentOrder } from "./pending-record";

/** Orders whose stamps are void, in the order that they had: they are stamped anew a part at a time. */
export class VoidStamps {
  private orders: UnsentOrder[] = [];

  get isEmpty(): boolean {
    return this.orders.length === 0;
  }

  /** What has a stamp that is void came before what has none yet. */
  addBefore(orders: UnsentOrder[]): void {
    this.orders = [...orders.sort(byStamp), ...this.orders];
  }

  addBehind(orders: UnsentOrder[]): void {
    this.orders = [...this.orders, ...orders.sort(byStamp)];
  }

  /** The first `count` of them, which are void no more. */
  take(count: number): UnsentOrder[] {
    return this.orders.splice(0, count);
  }
}
