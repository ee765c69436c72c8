import { z } from "zod";
import { PASSWORD_LENGTH } from "./password-length";

/** E-mail addresses are stored and compared in lower case; Postgres can't store U+0000. */
export const emailSchema = z
  .string()
  .max(254, "This e-mail address is too long.")
  .transform(value => value.trim().toLowerCase())
  .pipe(z.email("This does not look like an e-mail address."));

export const passwordSchema = z
  .string()
  .min(PASSWORD_LENGTH.min, `Use at least ${PASSWORD_LENGTH.min} characters; a few words in a row are fine.`)
  .max(PASSWORD_LENGTH.max, `Use at most ${PASSWORD_LENGTH.max} characters.`)
  .refine(value => value.isWellFormed(), "The password contains a broken character. Type it again.");
