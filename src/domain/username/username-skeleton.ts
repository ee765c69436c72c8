import confusables from "unhomoglyph/data.json" with { type: "json" };
import { characterOf, foldCase } from "./username-characters";
import { CONFUSABLES_SINCE_13 } from "./username-confusables";

const PROTOTYPES = loadPrototypes();

function loadPrototypes(): Map<string, string> {
  const prototypes = new Map(Object.entries(confusables as Record<string, string>));
  const fromHex = (text: string) =>
    String.fromCodePoint(...text.split("+").map(hex => Number.parseInt(hex, 16)));
  for (const entry of CONFUSABLES_SINCE_13.trim().split(/\s/)) {
    const [source = "", target = ""] = entry.split(">");
    prototypes.set(fromHex(source), fromHex(target));
  }
  // The table has "rn" for "m": too many words differ by that alone, such as modern and modem.
  for (const [source, target] of prototypes) prototypes.set(source, target.replaceAll("rn", "m"));
  return prototypes;
}

// "1" looks like "l", "0" like "O", which folds to "o". No other ASCII in a key changes.
const ASCII = /^[ -~]*$/;

/** The character's lookalike by Unicode 17.0's confusables but for "rn", or the character itself. */
export function prototypeOf(char: string): string {
  return PROTOTYPES.get(char) ?? char;
}

/**
 * The confusable skeleton of a username key: two keys with one skeleton are easily mistaken for each
 * other. UTS 39 section 4 (NFD, prototypes, NFD), then folded like the key, until stable. A value to
 * compare, never to show: "paypa1" gives "paypal". "m" and "rn" stay different.
 */
export function skeletonOf(key: string): string {
  if (ASCII.test(key)) return key.replaceAll("0", "o").replaceAll("1", "l");
  return skeletonOfAny(key);
}

/** `skeletonOf` without the fast path for ASCII; both give the same skeleton for every key. */
export function skeletonOfAny(key: string): string {
  let skeleton = key.normalize("NFD");
  for (let round = 0; round < 8; round++) {
    let mapped = "";
    for (const char of skeleton) if (characterOf(char).kind !== "invisible") mapped += prototypeOf(char);
    const next = foldCase(mapped.normalize("NFD")).normalize("NFD");
    if (next === skeleton) break;
    skeleton = next;
  }
  return skeleton;
}
