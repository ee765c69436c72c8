import { expect, test } from "vitest";
import type { MapCell } from "../contract";
import { scaleOf } from "./map-layers";

const cell = (more: Partial<MapCell>): MapCell => ({
  shard: "3f",
  state: "sealed",
  items: 1,
  fill: 0.62,
  falsePositiveRate: 0.005,
  madeAt: null,
  ...more,
});
const now = Date.parse("2026-03-01T12:00:00Z");
const read = (layer: Parameters<typeof scaleOf>[0], one: MapCell, all = [one]) => {
  const { levelOf, textOf } = scaleOf(layer, all, 0.01, now);
  return [levelOf(one), textOf(one)];
};

test("each layer gives a shard a colour and a text", () => {
  expect(read("fill", cell({}))).toEqual([0.62, "62 % full"]);
  expect(read("rate", cell({}))).toEqual([0.5, "0.5 % false positives"]);
  expect(read("state", cell({ state: "full" }))).toEqual([0.5, "full"]);
  expect(read("age", cell({ madeAt: "2026-03-01T11:30:00Z" }))).toEqual([0.5, "made 30 min ago"]);
});

test("unknown has no colour, and an empty shard is not unknown", () => {
  expect(read("fill", cell({ fill: null }))).toEqual([null, "fill unknown"]);
  expect(read("fill", cell({ fill: 0 }))).toEqual([0, "0 % full"]);
  expect(read("rate", cell({ falsePositiveRate: null }))[0]).toBeNull();
  expect(read("state", cell({ state: "missing" }))[0]).toBeNull();
  expect(read("age", cell({}))).toEqual([null, "age unknown"]);
});

test("a value beyond the scale gets its last colour", () => {
  expect(read("fill", cell({ fill: 1.2 }))[0]).toBe(1);
  expect(read("rate", cell({ falsePositiveRate: 0.3 }))[0]).toBe(1);
});

test("the oldest shard sets the scale of ages", () => {
  const [old, repaired] = [
    cell({ madeAt: "2026-02-01T12:00:00Z" }),
    cell({ madeAt: "2026-03-01T11:59:00Z" }),
  ];
  expect(read("age", old, [old, repaired])).toEqual([1, "made 28 d ago"]);
  expect(read("age", repaired, [old, repaired])[0]).toBeLessThan(0.01);
});
