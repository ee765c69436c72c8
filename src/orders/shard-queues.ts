import type { ShardMap } from "../domain/orders/hash-range";
import type { Order } from "../domain/orders/order";
import type { Watermark } from "../store/producer-registry";
import { type AccountRoute, AccountRoutes } from "./account-routes";
import { byStamp, type OrderStamp, type PendingRecord, type UnsentOrder } from "./pending-record";
import type { ProducerDeps } from "./producer-deps";
import { ShardQueue } from "./shard-queue";

/** The queues of one producer, one per shard that it has orders for. */
export class ShardQueues {
  private readonly byShard = new Map<string, ShardQueue>();
  private readonly routes = new AccountRoutes();

  constructor(
    private readonly deps: Pick<ProducerDeps, "log" | "route" | "settings" | "onWork">,
    private readonly map: () => ShardMap,
  ) {}

  get all(): ShardQueue[] {
    return [...this.byShard.values()];
  }

  of(shardId: string): ShardQueue | undefined {
    return this.byShard.get(shardId);
  }

  clear(): void {
    this.byShard.clear();
  }

  /** Per symbol with unsent orders: its oldest order, and the shard that this order waits for. */
  exceptions(): Watermark["except"] {
    const except: Watermark["except"] = {};
    for (const queue of this.all)
      queue.forEachPending(({ symbol, firstUs }) => {
        const known = except[symbol];
        if (known && known.throughUs < firstUs) return;
        except[symbol] = { throughUs: firstUs - 1, shardId: queue.shardId };
      });
    return except;
  }

  add(order: Order, stamp: OrderStamp & { producer: number }): void {
    const route = this.routeFor(order.symbol, order.accountId);
    this.recordFor(order.symbol, route, stamp.producer).add(order, route, stamp);
  }

  enqueue(order: UnsentOrder): void {
    const route = this.routeFor(order.symbol, order.accountId);
    this.recordFor(order.symbol, route, order.producer).addUnsent(order, route);
  }

  /** Behind the account's pending orders, else by the present plans and shards. */
  private routeFor(symbol: string, accountId: string): AccountRoute {
    return this.routes.routeFor(symbol, accountId, () => this.deps.route(symbol, accountId, this.map()));
  }

  private recordFor(symbol: string, { subKey }: AccountRoute, producer: number): PendingRecord {
    const { settings, log, onWork } = this.deps;
    const { partitionKey, shardId } = subKey;
    let queue = this.byShard.get(shardId);
    if (!queue) {
      queue = new ShardQueue(shardId, { ...settings, isAtomic: log.fences });
      this.byShard.set(shardId, queue);
    }
    onWork?.(shardId);
    return queue.recordFor(symbol, partitionKey, producer);
  }

  /** Into new records, so that the stamps in each record rise: readers are faster with those. */
  move(orders: UnsentOrder[]): void {
    if (orders.length === 0) return;
    for (const queue of this.all) queue.seal();
    for (const order of orders.sort(byStamp)) this.enqueue(order);
    for (const queue of this.all) queue.seal();
  }

  /** Moves the orders of closed shards to the open shards. */
  leaveClosed(open: ReadonlySet<string>): void {
    // A queue with a call in flight is moved later: its shard will answer again that it is closed.
    const gone = this.all.filter(({ shardId, inFlight }) => !open.has(shardId) && inFlight.length === 0);
    for (const { shardId } of gone) this.byShard.delete(shardId);
    this.move(gone.flatMap(queue => queue.drain()));
  }
}
