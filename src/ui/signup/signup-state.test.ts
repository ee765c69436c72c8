import { describe, expect, it } from "vitest";
import type { ApiFailure } from "../api-failure";
import { failureText } from "./send-signup";
import { emptySignup, type SignupState, signupReducer } from "./signup-state";

const atPassword: SignupState = {
  ...emptySignup,
  step: 2,
  isSending: true,
  values: { username: "luna", email: "luna@example.com", password: "seven rivers run" },
};

function afterFailing(partly: Partial<ApiFailure>): SignupState {
  const failure = { message: "", details: {}, ...partly };
  return signupReducer(atPassword, { type: "failed", failure, text: failureText(failure) });
}

describe("signupReducer, when the signup fails", () => {
  it("returns a taken name to its question, with free names", () => {
    const details = { field: "username" as const, suggestions: ["luna-2"] };
    const state = afterFailing({ code: "CONFLICT", details });
    expect(state).toMatchObject({
      step: 0,
      isSending: false,
      refused: { username: "luna", suggestions: ["luna-2"] },
    });
    expect(state.values).toEqual(atPassword.values);
  });

  it("returns a used address to its question", () => {
    const state = afterFailing({ code: "CONFLICT", details: { field: "email" } });
    expect(state.step).toBe(1);
    expect(state.errors.email).toContain("account with this address");
  });

  it("shows the message of the server for a refused value", () => {
    const state = afterFailing({
      code: "BAD_REQUEST",
      message: "Too short.",
      details: { field: "password" },
    });
    expect(state).toMatchObject({ step: 2, errors: { password: "Too short." } });
  });

  it.each([
    ["TOO_MANY_REQUESTS", { retryAfterMs: 1_200 }, "try again in 2 s"],
    ["SERVICE_UNAVAILABLE", {}, "no account was created"],
    [undefined, {}, "don't know whether"],
    ["SERVICE_UNAVAILABLE", { outcome: "unknown" as const }, "don't know whether"],
  ])("keeps the current question after %s", (code, details, words) => {
    const state = afterFailing({ code, details });
    expect(state.step).toBe(2);
    expect(state.failure).toContain(words);
  });

  it("says that the outcome is unknown until an answer comes", () => {
    const asking = signupReducer(atPassword, { type: "unknown" });
    expect(asking).toMatchObject({ isSending: true, isUnknown: true });
    expect(signupReducer(asking, { type: "created" })).toMatchObject({ isUnknown: false, isCreated: true });
    const failure = { code: "CONFLICT", message: "", details: { field: "username" as const } };
    expect(signupReducer(asking, { type: "failed", failure, text: "" })).toMatchObject({
      isUnknown: false,
      step: 0,
    });
  });

  it("restores the answers but for the password on the question that was asked", () => {
    const answers = { username: "luna", email: "luna@example.com", step: 2 };
    const state = signupReducer(emptySignup, { type: "restored", answers });
    expect(state).toMatchObject({ step: 2, isUpdated: true });
    expect(state.values).toEqual({ username: "luna", email: "luna@example.com", password: "" });
  });

  it("shows the request id for an unknown error", () => {
    expect(afterFailing({ code: "INTERNAL_SERVER_ERROR", requestId: "r-1" }).failure).toContain("r-1");
  });

  it("ignores an unknown field", () => {
    const details = { field: "0.username" } as unknown as ApiFailure["details"];
    expect(afterFailing({ code: "BAD_REQUEST", details })).toMatchObject({ step: 2 });
  });
});
