import type { Field } from "./signup-state";

/** The server's rule for passwords, in UTF-16 units. */
export const passwordLength = { min: 12, max: 128 } as const;

/** What is plainly wrong with an answer before the server sees it; the server still has the last word. */
export function checkAnswer(field: Field, value: string): string | undefined {
  if (field === "username") {
    return value.trim() === "" ? "Type a name first." : undefined;
  }
  if (field === "email") {
    if (value.trim() === "") return "Type your e-mail address first.";
    return /^[^\s@]+@[^\s@]+\.[^\s@]+$/.test(value.trim())
      ? undefined
      : "This doesn't look complete. An address has the form name@example.com.";
  }
  const missing = passwordLength.min - value.length;
  if (missing > 0)
    return `Too short by ${missing}. A password has at least ${passwordLength.min} characters.`;
  return value.length > passwordLength.max
    ? `Too long by ${value.length - passwordLength.max}. A password has at most ${passwordLength.max} characters.`
    : undefined;
}
