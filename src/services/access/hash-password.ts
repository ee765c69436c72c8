import { hash, verify } from "@node-rs/argon2";
import { MAX_RAW_PASSWORD_UNITS, normalizePassword } from "../../domain/access/password";

/** OWASP's argon2id minimum (argon2id is the library's default): 19 MiB, two passes. */
const ARGON2ID = { memoryCost: 19_456, timeCost: 2, parallelism: 1 };

/** Of the password's normal form. */
export function hashPassword(password: string): Promise<string> {
  return hash(normalizePassword(password), ARGON2ID);
}

/** The texts that may have been hashed: the normal form, and before it was introduced the text as typed. */
function formsOf(password: string): string[] {
  if (password.length > MAX_RAW_PASSWORD_UNITS) return [password];
  const normal = normalizePassword(password);
  return normal === password ? [normal] : [normal, password];
}

export async function verifyPassword(hashed: string, password: string): Promise<boolean> {
  // In UTF-8 every lone surrogate would be the same character.
  const isText = password.isWellFormed();
  for (const form of formsOf(password)) if (await verify(hashed, form)) return isText;
  return false;
}

/** Hashes as often as a `verifyPassword` that fails, so that an unknown user takes as long as a wrong password. */
export async function hashLikeVerify(password: string): Promise<string> {
  let hashed = "";
  for (const form of formsOf(password)) hashed = await hash(form, ARGON2ID);
  return hashed;
}
