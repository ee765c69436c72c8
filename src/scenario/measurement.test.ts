import { describe, expect, it } from "vitest";
import type { Order } from "../domain/orders/order";
import { Measurement } from "./measurement";
import { ScenarioEngine } from "./scenario-engine";

const order = (orderId: string): Order => ({
  kind: "market",
  symbol: "DOGE",
  orderId,
  accountId: orderId,
  side: "buy",
  price: 0,
  quantity: 1,
});

function measure({ sent, turnedAway, arrived }: { sent: number; turnedAway: number; arrived: string[] }) {
  const engine = new ScenarioEngine("DOGE");
  const measured = new Measurement(engine, ["0"]);
  measured.sent = sent;
  measured.turnedAway = turnedAway;
  arrived.forEach((id, i) => {
    engine.take(order(id), { timeUs: i + 1, producer: 1, sequence: i + 1 });
  });
  return measured;
}

describe("the figures of a scenario", () => {
  it("count orders that were never accepted apart from those that were lost", () => {
    const measured = measure({ sent: 5, turnedAway: 2, arrived: ["a", "b", "c"] });
    expect(measured.result(3)).toMatchObject({ turnedAway: 2, lost: 0 });
  });

  it("count an accepted order that never arrived, whether it became durable or not", () => {
    const measured = measure({ sent: 5, turnedAway: 1, arrived: ["a", "b"] });
    expect(measured.result(3)).toMatchObject({ turnedAway: 1, lost: 2 });
    expect(measured.result(4)).toMatchObject({ turnedAway: 1, lost: 2 });
  });

  it("do not let an order that arrived twice hide a lost one", () => {
    const measured = measure({ sent: 3, turnedAway: 0, arrived: ["a", "b", "b"] });
    expect(measured.result(3)).toMatchObject({ lost: 1 });
  });

  it("say nothing about lost orders while orders are on their way", () => {
    const measured = measure({ sent: 9, turnedAway: 1, arrived: ["a"] });
    expect(measured.figures(1)).toMatchObject({ turnedAway: 1, lost: null });
  });
});
