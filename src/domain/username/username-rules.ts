import { type Character, characterOf } from "./username-characters";
import { prototypeOf } from "./username-skeleton";

/** Which rule refused a username; part of the API (`error.data.details.rule`). */
export type UsernameRule = keyof typeof USERNAME_MESSAGES;

/** The message for the user at the form, by rule. */
export const USERNAME_MESSAGES = {
  malformed: "This name has broken characters in it. Please type it again.",
  control: "This name has control characters in it. Please type it again.",
  "too-short": "Use at least 3 characters.",
  "too-long": "Use at most 32 characters.",
  space: "Leave out the spaces. A dot, a hyphen or an underscore works instead.",
  invisible: "This name has invisible characters in it. Please type it again without them.",
  unassigned: "This name has a character that is not supported. Please choose another.",
  character: "Use letters and digits, and between them a dot, a hyphen or an underscore.",
  edge: "Begin and end with a letter or a digit.",
  "symbol-run": "Put a letter or a digit between two dots, hyphens or underscores.",
  mark: "Put accents on letters only, and not so many of them.",
  "hidden-dot": "This name has a dot that can't be seen. Type a plain i instead.",
  digits: "Use digits of one kind only.",
  script: "Use the letters of one alphabet only.",
  direction: "Begin a right-to-left name with a letter, and keep to one direction.",
} as const;

export const MIN_CODE_POINTS = 3;
/** Of the key. 32 code points are at most 128 bytes of UTF-8. */
export const MAX_CODE_POINTS = 32;
const MAX_MARKS_IN_A_ROW = 3;

const isSymbol = (char: string) => char === "." || char === "_" || char === "-";

/** The first rule that a folded name breaks, or null. `name` is the output of `foldName`. */
export function brokenRule(name: string): UsernameRule | null {
  const chars = [...name];
  const characters = chars.map(characterOf);
  return (
    brokenRepertoire(chars, characters) ??
    (chars.length < MIN_CODE_POINTS ? "too-short" : null) ??
    (chars.length > MAX_CODE_POINTS ? "too-long" : null) ??
    brokenOrder(chars, characters) ??
    brokenDigits(chars, characters) ??
    (sharedScripts(characters) ? null : "script") ??
    brokenDirection(characters)
  );
}

// RFC 8264 IdentifierClass less its punctuation; folding has already mapped what has a compatible form.
function brokenRepertoire(chars: string[], characters: Character[]): UsernameRule | null {
  for (const [i, char] of chars.entries()) {
    const { kind } = characters[i]!;
    if (char === " ") return "space";
    if (kind === "invisible" || kind === "unassigned") return kind;
    if (kind === "other" && !isSymbol(char)) return "character";
  }
  return null;
}

// A dot above can't be seen on a letter that has one: "i" and its lookalikes (ICU: hidden overlay).
function hidesDot(base: string): boolean {
  const letter = String.fromCodePoint(base.normalize("NFD").codePointAt(0) ?? 0);
  return /[ijl][\u0300-\u036f]*$/.test(prototypeOf(letter));
}

function brokenOrder(chars: string[], characters: Character[]): UsernameRule | null {
  if (isSymbol(chars[0]!) || isSymbol(chars.at(-1)!)) return "edge";
  let base = "";
  let marks = 0;
  for (const [i, char] of chars.entries()) {
    const { kind } = characters[i]!;
    if (isSymbol(char) && isSymbol(chars[i - 1] ?? "")) return "symbol-run";
    if (kind !== "mark" && kind !== "spacing-mark") {
      base = kind === "letter" ? char : "";
      marks = 0;
      continue;
    }
    // Spacing marks have their own width, so only nonspacing marks can stack.
    marks = kind === "mark" ? marks + 1 : 0;
    if (base === "" || marks > MAX_MARKS_IN_A_ROW) return "mark";
    if (char === "\u0307" && hidesDot(base)) return "hidden-dot";
  }
  return null;
}

// UTS 39 5.3. In every number system the ten digits are neighbours and the zero is first.
function brokenDigits(chars: string[], characters: Character[]): UsernameRule | null {
  const zeros = new Set(chars.filter((_, i) => characters[i]!.kind === "digit").map(zeroOf));
  return zeros.size > 1 ? "digits" : null;
}

/** The zero of the number system that a decimal digit is of, as a code point. */
export function zeroOf(digit: string): number {
  const codePoint = digit.codePointAt(0) ?? 0;
  let zero = codePoint;
  while (codePoint - zero < 9 && characterOf(String.fromCodePoint(zero - 1)).kind === "digit") zero -= 1;
  return zero;
}

// UTS 39 5.1 and 5.2: the name is of one script if the augmented script sets have one in common.
function sharedScripts(characters: Character[]): boolean {
  let shared: readonly string[] | null = null;
  for (const { scripts } of characters) {
    if (scripts === null || scripts === shared) continue;
    shared = shared === null ? scripts : shared.filter(script => scripts.includes(script));
    if (shared.length === 0) return false;
  }
  return true;
}

// RFC 5893 section 2, for names that have a right-to-left character; the six symbol classes pass it.
function brokenDirection(characters: Character[]): UsernameRule | null {
  const classes = characters.map(({ bidi }) => bidi);
  const has = (...wanted: Character["bidi"][]) => classes.some(bidi => wanted.includes(bidi));
  if (!has("R", "AL", "AN")) return null;
  if (classes[0] !== "R" && classes[0] !== "AL") return "direction";
  const last = classes.findLast(bidi => bidi !== "NSM");
  return has("L") || (has("EN") && has("AN")) || last === "ON" ? "direction" : null;
}
