import { z } from "zod";
import { MAX_RAW_PASSWORD_UNITS, normalizePassword, PASSWORD_LENGTH, passwordLength } from "./password";

/** E-mail addresses are stored and compared in lower case; Postgres can't store U+0000. */
export const emailSchema = z
  .string()
  .max(254, "This e-mail address is too long.")
  .transform(value => value.trim().toLowerCase())
  .pipe(z.email("This does not look like an e-mail address."));

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
