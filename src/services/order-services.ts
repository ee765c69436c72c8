import type { OrderInput } from "../domain/order";
import type { OrderLog } from "../domain/order-log";
import type { PrismaClient } from "../store/postgres";
import { type ChangeSplitPlan, changeSplitPlan } from "./change-split-plan";
import { listSymbols } from "./list-symbols";
import { listSetAside, type OrderStatusDeps, readOrderStatus } from "./read-order-status";
import { type SubmitOrdersDeps, submitOrders } from "./submit-orders";
import type { By } from "./write-audit";

export type OrderServicesDeps = OrderStatusDeps &
  SubmitOrdersDeps & { prisma: PrismaClient; orderLog: OrderLog };

/** What machines and traders can do with orders and hot symbols. */
export function createOrderServices(deps: OrderServicesDeps) {
  const { prisma, orderLog, plans } = deps;
  const shardCount = async () => (await orderLog.readMap()).open.length;
  return {
    submit: (by: By, input: { orders: OrderInput[]; waitForDurable: boolean }) =>
      submitOrders(deps, by.actor.id ?? by.actor.name, input),
    listSymbols: async () => listSymbols(plans, await orderLog.readMap()),
    async changeSplitPlan(by: By, change: ChangeSplitPlan) {
      const plan = await changeSplitPlan({ prisma, shardCount }, by, change);
      await plans.refresh();
      return { epoch: plan.epoch };
    },
    status: async () =>
      readOrderStatus(
        deps,
        (await orderLog.readMap()).open.map(({ id }) => id),
      ),
    setAside: (limit: number) => listSetAside(deps.redis, deps.log, limit),
  };
}

export type OrderServices = ReturnType<typeof createOrderServices>;
