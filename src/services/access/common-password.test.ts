import { describe, expect, it } from "vitest";
import { isCommonPassword } from "./common-password";
import { generatePassword } from "./create-staff";

describe("isCommonPassword", () => {
  it.each([
    "password1234",
    "Password123!",
    "P@ssw0rd1234",
    "PASSWORDPASSWORD",
    "123456789012",
    "1234567890ab",
    "qwertyuiop12",
    "qazwsxedcrfv",
    "1q2w3e4r5t6y",
    "iloveyou1234",
    "letmein12345",
    "admin1234567",
    "trustno1trustno1",
    "abcdefghijkl",
    "abc123abc123",
    "aaaaaaaaaaaa",
    "a".repeat(128),
    "password1".repeat(14),
    "unbelievable",
  ])("knows %s", password => {
    expect(isCommonPassword(password)).toBe(true);
  });

  it.each([
    "three calm herons",
    "seven rivers run",
    "correct horse battery",
    "correct horse battery staple",
    "long enough pw",
    "xk9qpz-7rr2mm",
    "\ubc14\ub2e4 \uc704\uc758 \uc791\uc740 \ubc30 \ud558\ub098",
    "with a \0 NUL in it",
  ])("does not know %s", password => {
    expect(isCommonPassword(password)).toBe(false);
  });

  it("does not know generated passwords", () => {
    for (let n = 0; n < 50; n += 1) expect(isCommonPassword(generatePassword())).toBe(false);
  });
});
