import { characterOf, foldName } from "./username-characters";
import { brokenRule, USERNAME_MESSAGES, type UsernameRule } from "./username-rules";
import { skeletonOf } from "./username-skeleton";

/**
 * Stored with every user. Raise it when any name could get another verdict, key or skeleton; the change
 * needs a rebuild.
 *
 * Version 2: characters of Unicode 16.0 (UNICODE_PIN in username-tables.ts), confusables of Unicode 17.0 but for
 * "rn", which passed for "m" in version 1.
 */
export const USERNAME_POLICY_VERSION = 2;

/**
 * `username` is the name as typed without outer spaces, to be shown. `key` decides who is who: it is
 * hashed, compared and unique. `skeleton` is unique too: it stops lookalikes of existing names.
 */
export type UsernameVerdict =
  | { ok: true; username: string; key: string; skeleton: string; policyVersion: number }
  | { ok: false; rule: UsernameRule; message: string };

/** Of the raw text, spaces included; folding can make a name up to 18 times as long. */
const MAX_RAW_CODE_POINTS = 64;

const PLAIN = /^(?=.{3,32}$)[A-Za-z0-9]+(?:[._-][A-Za-z0-9]+)*$/;
// Every space that NFKC turns into U+0020, and the ogham one. Spelled out: \s and \p{Zs} follow ICU.
const OUTER_SPACES =
  /^[ \u00a0\u1680\u2000-\u200a\u202f\u205f\u3000]+|[ \u00a0\u1680\u2000-\u200a\u202f\u205f\u3000]+$/g;

/**
 * The one place where a username becomes its key. RFC 8265 UsernameCaseMapped with NFKC and full case
 * folding, UTS 39 single script, RFC 5893 direction. `readUsername(key).key === key`.
 */
export function readUsername(raw: string): UsernameVerdict {
  // Most names are plain ASCII and need no tables; a property test compares both ways.
  return PLAIN.test(raw) ? accept(raw, raw.toLowerCase()) : readAnyUsername(raw);
}

/** `readUsername` without the fast path for ASCII. */
export function readAnyUsername(raw: string): UsernameVerdict {
  if (/\p{Surrogate}/u.test(raw)) return refuse("malformed");
  if (/\p{Control}/u.test(raw)) return refuse("control");
  const chars = raw.length > 2 * MAX_RAW_CODE_POINTS ? null : [...raw];
  if (chars === null || chars.length > MAX_RAW_CODE_POINTS) return refuse("too-long");
  // Before folding: a newer ICU may know how to fold what this version calls unassigned.
  if (chars.some(char => characterOf(char).kind === "unassigned")) return refuse("unassigned");

  const username = raw.replace(OUTER_SPACES, "");
  const key = foldName(username);
  if (key === null) return refuse("character");
  const rule = brokenRule(key);
  return rule === null ? accept(username, key) : refuse(rule);
}

/** The key alone, for sign-in and import; null for text that can't be a username. */
export function usernameKey(raw: string): string | null {
  const verdict = readUsername(raw);
  return verdict.ok ? verdict.key : null;
}

function accept(username: string, key: string): UsernameVerdict {
  return { ok: true, username, key, skeleton: skeletonOf(key), policyVersion: USERNAME_POLICY_VERSION };
}

function refuse(rule: UsernameRule): UsernameVerdict {
  return { ok: false, rule, message: USERNAME_MESSAGES[rule] };
}
