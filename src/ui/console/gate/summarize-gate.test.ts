import { describe, expect, it } from "vitest";
import type { Live } from "../contract";
import { summarizeGate } from "./summarize-gate";

const filter = {
  version: 3,
  engine: "bitmap",
  fullShards: 0,
  pointerAgeMs: 10,
  openBreakers: 0,
  errorRate: 0.01,
};
const outbox = {
  pending: 0,
  oldestSeconds: 0,
  dead: 0,
  deliveredLastMinute: 5,
  relays: [{ name: "a", claimed: 0 }],
};
const live = (status: "ok" | "degraded" | "down", change: { filter?: object; outbox?: object } = {}) =>
  ({
    health: { status, filter: { ...filter, ...change.filter } },
    outbox: { ...outbox, ...change.outbox },
  }) as unknown as Live;

describe("the gate's summary", () => {
  it.each([
    [live("ok"), "ok", "The gate is healthy"],
    [live("ok", { outbox: { relays: [] } }), "unknown", "The state of the gate is incomplete: relays"],
    [live("ok", { outbox: { dead: 2 } }), "warning", "The gate works, with warnings: dead letters"],
    [live("degraded"), "warning", "The gate is degraded"],
    [live("down"), "critical", "The gate is down"],
    [null, "unknown", "The gate's state is unknown"],
  ] as const)("%j is %s: %s", (status, state, word) => {
    expect(summarizeGate(status)).toMatchObject({ state, word });
  });

  it("names the filter version, full shards and the age of the oldest outbox row", () => {
    const change = {
      filter: { fullShards: 2, pointerAgeMs: null },
      outbox: { pending: 1, oldestSeconds: 60 },
    };
    expect(summarizeGate(live("degraded", change)).parts).toEqual([
      { title: "Filter", state: "unknown", text: "v3 on bitmap, pointer not read" },
      { title: "Full shards", state: "warning", text: "2" },
      { title: "Outbox", state: "warning", text: "oldest row 60 s" },
      { title: "Relays", state: "ok", text: "1 active" },
    ]);
    expect(summarizeGate(live("degraded", { filter: { version: null } })).parts?.[0]).toEqual({
      title: "Filter",
      state: "warning",
      text: "none",
    });
  });
});
