import { z } from "zod";
import { readEmail } from "./email";
import { MAX_RAW_PASSWORD_UNITS, normalizePassword, PASSWORD_LENGTH, passwordLength } from "./password";

/** The output is the canonical address. */
export const emailSchema = z.string().transform((raw, ctx) => {
  const verdict = readEmail(raw);
  if (verdict.ok) return verdict.email;
  ctx.addIssue(verdict.message);
  return z.NEVER;
});

const TOO_LONG = `Use at most ${PASSWORD_LENGTH.max} characters.`;

/** The output is the normal form. The text is bounded before it is normalised. */
export const passwordSchema = z
  .string()
  .max(MAX_RAW_PASSWORD_UNITS, TOO_LONG)
  .refine(value => value.isWellFormed(), "The password contains a broken character. Type it again.")
  .transform(normalizePassword)
  .refine(
    value => passwordLength(value) >= PASSWORD_LENGTH.min,
    `Use at least ${PASSWORD_LENGTH.min} characters; a few words in a row are fine.`,
  )
  .refine(value => passwordLength(value) <= PASSWORD_LENGTH.max, TOO_LONG);
