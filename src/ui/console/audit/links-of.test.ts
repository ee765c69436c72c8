import { describe, expect, it } from "vitest";
import { linksOf } from "./links-of";

const at = "2026-01-02T03:04:05.000Z";
const textsOf = (action: string, target: string | null = null) =>
  linksOf({ action, target, at }).map(({ text }) => text);

describe("the links of an audit row", () => {
  it.each(["symbol.split", "symbol.expire", "shards.change", "orders.replay"])(
    "of %s lead to the stream",
    action => {
      const stream = "/console/stream?range=1h&to=2026-01-02T03%3A14%3A05.000Z";
      expect(linksOf({ action, target: "symbol:DOGE", at })).toEqual([
        { text: "The stream at that moment", href: stream },
      ]);
    },
  );

  it("of the lab lead to the run, and to the stream beside it", () => {
    expect(linksOf({ action: "lab.run", target: "lab:run 12", at })[0]).toEqual({
      text: "Run 12 in the lab",
      href: "/console/lab?run=12",
    });
    expect(textsOf("lab.run")).toEqual(["The stream at that moment"]);
  });

  it("of the filter lead to the filter as well", () => {
    expect(textsOf("filter.promote", "v2")).toEqual([
      "The filter and its timeline",
      "The gate at that moment",
    ]);
  });

  it.each(["user.setRole", "switch.set", "outbox.replay", "reserved.edit"])(
    "of %s lead to the gate",
    action => {
      expect(textsOf(action)).toEqual(["The gate at that moment"]);
    },
  );

  it("end now, where ten minutes have not passed yet", () => {
    const now = new Date().toISOString();
    const to = new URLSearchParams(linksOf({ action: "user.disable", target: null, at: now })[0]!.href);
    expect(Date.parse(to.get("to")!)).toBeLessThanOrEqual(Date.now());
  });
});
