import { expect, test } from "vitest";
import { describeOrders, type OrderFigures, OrderHealthWatch } from "./order-health";

const all = { wasUsed: true, workers: 1, unowned: [] };
const none = { wasUsed: true, workers: 0, unowned: [0, 1, 2, 3, 4, 5, 6, 7] };
const never = { wasUsed: false, workers: 0, unowned: none.unowned };
const figures = (change: Partial<OrderFigures> = {}): OrderFigures => ({
  aggregators: all,
  engines: all,
  lines: [{ bufferedEvents: 0, lagMs: 3 }],
  records: 0,
  ...change,
});

test.each<[string, Partial<OrderFigures>, "ok" | "degraded" | "unknown", string[]]>([
  ["all run", {}, "ok", []],
  ["no aggregator", { aggregators: none, lines: [], records: 7 }, "degraded", ["orders_without_aggregator"]],
  ["no engine", { engines: none }, "degraded", ["orders_without_engine"]],
  ["late", { lines: [{ bufferedEvents: 9, lagMs: 6_000 }] }, "degraded", ["orders_late"]],
  [
    "orders wait and the lag is unknown",
    { lines: [{ bufferedEvents: 9, lagMs: null }] },
    "degraded",
    ["orders_lag_unknown"],
  ],
  [
    "one of two says nothing",
    { aggregators: { ...all, workers: 2 }, records: 5 },
    "degraded",
    ["orders_lag_unknown"],
  ],
  ["orders were never used", { aggregators: never, engines: never, lines: [] }, "unknown", []],
  [
    "orders in the log of an emptied Redis",
    { aggregators: never, engines: never, lines: [], records: 2 },
    "degraded",
    ["orders_without_aggregator", "orders_without_engine"],
  ],
])("%s", (_, change, status, codes) => {
  const { health, alerts } = describeOrders(figures(change));
  expect([health.status, alerts.map(({ code }) => code)]).toEqual([status, codes]);
});

test("what is not known is unknown, not 0", () => {
  const { health } = describeOrders(figures({ lines: [{ bufferedEvents: 4, lagMs: null }], records: null }));
  expect(health).toMatchObject({ lagMs: "unknown", buffered: 4, records: "unknown" });
});

test("an earlier look is not what is so now, and a failed look makes all unknown", async () => {
  let nowMs = 0;
  let read = async () => figures();
  const watch = new OrderHealthWatch(
    () => read(),
    () => nowMs,
  );
  expect(watch.current.health.status).toBe("unknown");
  await watch.look();
  expect(watch.current.health.status).toBe("ok");
  nowMs = 10_001;
  expect(watch.current.health.status).toBe("unknown");
  await watch.look();
  read = () => Promise.reject(new Error("closed"));
  await expect(watch.look()).rejects.toThrow("did not answer");
  expect(watch.current.health.status).toBe("unknown");
});
