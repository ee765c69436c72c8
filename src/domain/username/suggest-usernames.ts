import { readUsername } from "./username-policy";
import { MAX_CODE_POINTS, zeroOf } from "./username-rules";

const MAX_SUGGESTIONS = 8;
const MAX_ATTEMPTS = 96;

// Friendly words that suggest no role.
const BEFORE = ["hello", "its", "hey", "just", "iam", "meet"];
const AFTER = ["here", "now", "writes", "makes", "plays", "reads"];
// Without 0 and 1, which are read as letters.
const DIGITS = [2, 3, 4, 5, 6, 7, 8, 9];

/**
 * Up to 8 usernames close to one that is taken, each valid and none a lookalike of another or of the
 * request. `random` gives numbers from 0 up to 1, as Math.random does; the same numbers give the same
 * names. The caller checks whether they are free and not reserved.
 */
export function suggestUsernames(key: string, random: () => number): string[] {
  const request = readUsername(key);
  const seen = new Set(request.ok ? [request.skeleton] : []);
  const suggestions: string[] = [];
  for (let attempt = 0; attempt < MAX_ATTEMPTS && suggestions.length < MAX_SUGGESTIONS; attempt++) {
    const verdict = readUsername(varied(request.ok ? request.key : key, attempt, random));
    if (!verdict.ok || seen.has(verdict.skeleton)) continue;
    seen.add(verdict.skeleton);
    suggestions.push(verdict.key);
  }
  return suggestions;
}

// The shapes alternate; the attempt is part of each pick, so a constant `random` also gives several names.
function varied(key: string, attempt: number, random: () => number): string {
  const pick = <T>(from: ArrayLike<T>): T =>
    from[(Math.floor(random() * from.length) + Math.floor(attempt / 4)) % from.length]!;
  const zero = zeroOf(key.match(/\p{Nd}/u)?.[0] ?? "0");
  const digits = (count: number) =>
    Array.from({ length: count }, () => String.fromCodePoint(zero + pick(DIGITS))).join("");
  switch (attempt % 4) {
    case 0:
      return joined("", key, digits(2));
    case 1:
      return joined("", key, `_${digits(2)}`);
    case 2:
      return joined(`${pick(BEFORE)}_`, key, "");
    default:
      return random() < 0.5 ? joined("", key, `_${pick(AFTER)}`) : joined("", key, digits(3));
  }
}

// Cuts the middle by code points, and then the symbols at the cut.
function joined(before: string, middle: string, after: string): string {
  const available = MAX_CODE_POINTS - before.length - after.length;
  const cut = [...middle].slice(0, available).join("");
  return before + cut.replace(/[._-]+$/, "") + after;
}
