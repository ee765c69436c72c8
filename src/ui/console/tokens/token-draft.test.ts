import { describe, expect, it } from "vitest";
import { readTokenDraft, type TokenDraft, tokenDraftProblem } from "./token-draft";

const draft = (change: Partial<TokenDraft>): TokenDraft => ({
  name: " gateway ",
  grant: "orders",
  accounts: "",
  days: "",
  ...change,
});

describe("the draft of a token", () => {
  it("that submits orders has the scope and its accounts, each once", () => {
    expect(readTokenDraft(draft({ accounts: "alice, desk-*\n alice" }), 0)).toEqual({
      name: "gateway",
      scopes: ["orders.submit"],
      accounts: ["alice", "desk-*"],
      expiresAt: undefined,
    });
  });

  it("with a role that cannot submit orders has no accounts, also when some were typed", () => {
    expect(readTokenDraft(draft({ grant: "viewer", accounts: "alice", days: "1" }), 0)).toEqual({
      name: "gateway",
      role: "viewer",
      accounts: undefined,
      expiresAt: "1970-01-02T00:00:00.000Z",
    });
  });

  it.each([
    [{ name: " " }, "Type a name first."],
    [{}, "Give the accounts first; * means all accounts."],
    [{ accounts: "*, alice" }, "“*” means all accounts: give it alone."],
    [{ accounts: "al!ce" }, "“al!ce” is neither an account id"],
    [{ grant: "admin" as const, accounts: "a*b" }, "“a*b” is neither an account id"],
  ])("%j cannot be created: %s", (change, problem) => {
    expect(tokenDraftProblem(draft(change))).toContain(problem);
  });

  it.each([
    [{ accounts: "*" }],
    [{ accounts: "alice desk-*" }],
    [{ grant: "admin" as const }],
    [{ grant: "viewer" as const, accounts: "al!ce" }],
  ])("%j can be created", change => {
    expect(tokenDraftProblem(draft(change))).toBeUndefined();
  });
});
