/** Single characters of a skeleton that pass for a letter in a reserved word, and that letter. */
const SMALL_CAPITALS: Record<string, string> = {
  "\u1d00": "a",
  "\u0299": "b",
  "\u1d05": "d",
  "\u1d07": "e",
  "\ua730": "f",
  "\u0262": "g",
  "\u029c": "h",
  "\u1d0a": "j",
  "\u0138": "k", // of U+1D0B, by the skeleton
  "\u029f": "l",
  "\u028d": "m", // of U+1D0D, by the skeleton
  "\u0274": "n",
  "\u1d18": "p",
  "\ua7af": "q",
  "\u0280": "r",
  "\u1d1b": "t",
};
const LOOKALIKES: Record<string, string> = Object.assign(
  { i: "l", "5": "s", _: ".", "-": "." },
  SMALL_CAPITALS,
);
const ACCENTS = Array.from({ length: 0x70 }, (_, i) => String.fromCodePoint(0x300 + i)).join("");

/** For the database's `translate`: the characters of the first become those of the second, or vanish. */
export const STRICT_TRANSLATION = {
  from: Object.keys(LOOKALIKES).join("") + ACCENTS,
  to: Object.values(LOOKALIKES).join(""),
};

/**
 * A coarser form of a skeleton, for reserved words alone: 1, l and i are one letter, 5 is s, m is rn, small capitals
 * are letters, accents vanish. All symbols are dots, so that the parts of a name can be told apart.
 */
export function strictSkeleton(skeleton: string): string {
  let strict = "";
  for (const char of skeleton) if (!ACCENTS.includes(char)) strict += LOOKALIKES[char] ?? char;
  return strict.replaceAll("rn", "m");
}
