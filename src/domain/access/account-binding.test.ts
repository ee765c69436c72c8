import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { accountsProblem, describeAccounts, mayUseAccount } from "./account-binding";

const id = fc.stringMatching(/^[A-Za-z0-9_-]{1,12}$/);

describe("the accounts of a token", () => {
  it("are ids, or prefixes that end in *", () => {
    const accounts = ["alice", "desk-7-*"];
    const allowed = ["alice", "desk-7-a", "desk-7-"];
    const refused = ["Alice", "alice2", "desk-7", "desk-70", "mallory", ""];
    for (const account of allowed) expect(mayUseAccount(accounts, account), account).toBe(true);
    for (const account of refused) expect(mayUseAccount(accounts, account), account).toBe(false);
    expect(mayUseAccount(["*"], "anyone")).toBe(true);
    expect(mayUseAccount([], "anyone")).toBe(false);
  });

  it("allow an account exactly when an entry is its id or its beginning", () => {
    const entry = fc.tuple(id, fc.boolean());
    fc.assert(
      fc.property(fc.array(entry, { maxLength: 5 }), id, (entries, account) => {
        const accounts = entries.map(([text, isPrefix]) => (isPrefix ? `${text}*` : text));
        const expected = entries.some(([text, isPrefix]) =>
          isPrefix ? account.startsWith(text) : account === text,
        );
        expect(mayUseAccount(accounts, account)).toBe(expected);
      }),
    );
  });

  it.each([["al ice"], ["a*b"], ["**"], [""], ["a".repeat(37)], ["ärger"], ["alice,bob"]])(
    "refuse %j, and say what is allowed",
    text => {
      expect(accountsProblem(["alice", text])).toContain(`“${text}” is neither an account id`);
    },
  );

  it("are at most a hundred, and * stands alone", () => {
    const many = Array.from({ length: 101 }, (_, i) => `a${i}`);
    expect(accountsProblem(many)).toContain("at most 100");
    for (const list of [[], ["*"], ["b", "c-*"], many.slice(1)])
      expect(accountsProblem(list)).toBeUndefined();
    expect(accountsProblem(["*", "alice"])).toContain("alone");
  });

  it("are described in words, at most ten of them", () => {
    expect(describeAccounts([])).toBe("no account");
    expect(describeAccounts(["*"])).toBe("all accounts");
    expect(describeAccounts(["alice", "desk-*"])).toBe("alice, desk-*");
    const many = Array.from({ length: 12 }, (_, i) => `a${i}`);
    expect(describeAccounts(many)).toBe("a0, a1, a2, a3, a4, a5, a6, a7, a8, a9 and 2 more");
  });
});
