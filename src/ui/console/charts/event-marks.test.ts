import { expect, it } from "vitest";
import { toEventMarks } from "./event-marks";

const event = (at: number, label: string, href = `/console/audit?id=${at}`) => ({
  at: new Date(at).toISOString(),
  label,
  href,
  kind: "",
});

it("merges events that are close into one mark, and leaves out events outside of the window or the console", () => {
  const events = [
    event(50_000, "c"),
    event(10_000, "a"),
    event(10_900, "b"),
    event(200_000, "later"),
    event(60_000, "external", "https://elsewhere.example/"),
  ];
  expect(toEventMarks(events, { from: 0, to: 100_000 })).toEqual([
    { at: 10_900, label: "2 changes, the last: b", href: "/console/audit?id=10900" },
    { at: 50_000, label: "c", href: "/console/audit?id=50000" },
  ]);
});
