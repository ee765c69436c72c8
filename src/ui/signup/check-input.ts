import type { readEmail as ReadEmail } from "../../domain/access/email";
import { PASSWORD_LENGTH, passwordLength } from "../../domain/access/password";
import type { Field } from "./signup-state";

let readEmail: typeof ReadEmail | undefined;

/** Loads the reader of addresses with its question: the script of the first one has a limit. */
export async function loadEmailReader(): Promise<void> {
  ({ readEmail } = await import("../../domain/access/email"));
}

/** The problem of an input that needs no server; the server checks it again. */
export function checkInput(field: Field, value: string): string | undefined {
  if (field === "username") {
    return value.trim() === "" ? "Type a name first." : undefined;
  }
  if (field === "email") {
    if (!readEmail) return value.includes("@") ? undefined : "Type your e-mail address first.";
    const verdict = readEmail(value);
    return verdict.ok ? undefined : verdict.message;
  }
  const length = passwordLength(value);
  const missing = PASSWORD_LENGTH.min - length;
  if (missing > 0)
    return `Too short by ${missing}. A password has at least ${PASSWORD_LENGTH.min} characters.`;
  return length > PASSWORD_LENGTH.max
    ? `Too long by ${length - PASSWORD_LENGTH.max}. A password has at most ${PASSWORD_LENGTH.max} characters.`
    : undefined;
}
