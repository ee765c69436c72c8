import { describe, expect, it } from "vitest";
import { ACTION_NAMES, ACTIONS, type Action, decide, decideForToken, ROLES, SWITCHABLE } from "./permissions";

const NONE = new Set<Action>();

/** Written out a second time: a mistake in the table must not be its own expectation. */
const ALLOWED: Record<(typeof ROLES)[number], string> = {
  member: "",
  viewer:
    "console.view gate.view outbox.view filter.view reserved.view orders.view symbol.view lab.view audit.view switch.view",
  trader:
    "console.view gate.view filter.view orders.view orders.trace orders.replay engine.continue symbol.view symbol.split symbol.dismiss symbol.setAutomatic " +
    "symbol.add symbol.halt symbol.resume symbol.delist shards.change lab.view lab.run audit.view switch.view",
  operator:
    "console.view gate.view outbox.view outbox.replay name.trace filter.view filter.rebuild filter.cancel " +
    "filter.verify filter.setTraffic filter.promote filter.arm filter.rollback filter.retire filter.schedule user.view user.disable user.revokeSessions " +
    "reserved.view reserved.edit orders.view orders.trace orders.replay engine.continue symbol.view lab.view lab.run audit.view switch.view",
  admin: ACTION_NAMES.join(" "),
};

describe("the permission table", () => {
  it.each(ROLES)("%s may do exactly the actions of this list", role => {
    const allowed = ACTION_NAMES.filter(action => decide(role, action, NONE).allowed);
    expect(allowed.join(" ")).toBe(ALLOWED[role]);
  });

  it("names the role and the action in a refusal", () => {
    expect(decide("trader", "user.view", NONE)).toEqual({
      allowed: false,
      reason: "The role trader may not do this: View users.",
    });
  });

  it.each(SWITCHABLE)("%s can be turned off for every role and token", action => {
    const off = new Set([action]);
    for (const role of ROLES) expect(decide(role, action, off).allowed).toBe(false);
    expect(decideForToken({ role: null, scopes: [action] }, action, off).allowed).toBe(false);
  });

  it("has no kill switch for reads and for switch.set", () => {
    const everything = new Set(ACTION_NAMES);
    expect(decide("admin", "switch.set", everything).allowed).toBe(true);
    for (const action of ACTION_NAMES.filter(name => !ACTIONS[name].mutates))
      expect(decide("admin", action, everything).allowed).toBe(true);
  });
});

describe("service tokens", () => {
  it("may do what their role may, or the actions of their scopes, and nothing else", () => {
    expect(decideForToken({ role: "viewer", scopes: [] }, "outbox.view", NONE).allowed).toBe(true);
    expect(decideForToken({ role: "viewer", scopes: [] }, "outbox.replay", NONE).allowed).toBe(false);
    expect(decideForToken({ role: null, scopes: ["name.trace"] }, "name.trace", NONE).allowed).toBe(true);
    expect(decideForToken({ role: null, scopes: ["name.trace"] }, "user.view", NONE).allowed).toBe(false);
    expect(decideForToken({ role: null, scopes: [] }, "console.view", NONE).allowed).toBe(false);
  });

  it.each(["user.setRole", "token.manage", "switch.set"] as const)("may never %s", action => {
    expect(decideForToken({ role: "admin", scopes: [] }, action, NONE).allowed).toBe(false);
    expect(decideForToken({ role: null, scopes: [action] }, action, NONE).allowed).toBe(false);
  });
});
