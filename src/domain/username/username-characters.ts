import { CLASSES, FOLD_LONG, FOLD_RUNS, RUNS, SCRIPTS } from "./username-tables";

/**
 * A name may contain `letter`, `mark` (nonspacing), `spacing-mark` and `digit`. `invisible` is
 * Default_Ignorable or Format; `unassigned` includes private use and noncharacters; `other` is every
 * other character: symbols, punctuation, spaces, and characters that RFC 8264 disallows.
 */
export type CharacterKind =
  | "letter"
  | "mark"
  | "spacing-mark"
  | "digit"
  | "invisible"
  | "unassigned"
  | "other";

/** `scripts` is the augmented script set of UTS 39 5.1; null for Common and Inherited: any script. */
export type Character = {
  kind: CharacterKind;
  bidi: "L" | "R" | "AL" | "AN" | "EN" | "NSM" | "ON";
  scripts: readonly string[] | null;
};

const KINDS: Record<string, CharacterKind> = {
  l: "letter",
  n: "mark",
  c: "spacing-mark",
  d: "digit",
  i: "invisible",
  u: "unassigned",
  s: "other",
};

// UTS 39 5.1: writing systems of more than one script.
const AUGMENTED: Record<string, string[]> = {
  Han: ["Hanb", "Jpan", "Kore"],
  Hiragana: ["Jpan"],
  Katakana: ["Jpan"],
  Bopomofo: ["Hanb"],
  Hangul: ["Kore"],
};

const words = (table: string) => table.trim().split(/\s/);

function decodeClasses(): Character[] {
  const names = words(SCRIPTS);
  return words(CLASSES).map(entry => {
    const [kind = "", bidi = "ON", indexes = ""] = entry.split(".");
    const own = indexes.split(",").flatMap(index => names[Number.parseInt(index, 36)] ?? []);
    const scripts = [...new Set(own.flatMap(name => [name, ...(AUGMENTED[name] ?? [])]))];
    return {
      kind: KINDS[kind] ?? "other",
      bidi: bidi as Character["bidi"],
      scripts: scripts.length > 0 ? scripts : null,
    };
  });
}

function decodeRuns(): Uint16Array {
  const classOf = new Uint16Array(0x110000);
  let start = 0;
  for (const run of words(RUNS)) {
    const [index = "", count = "1"] = run.split(":");
    const end = start + Number.parseInt(count, 36);
    classOf.fill(Number.parseInt(index, 36), start, end);
    start = end;
  }
  return classOf;
}

function decodeFolding(): Map<string, string> {
  const folding = new Map<string, string>();
  for (const run of words(FOLD_RUNS)) {
    const [first = 0, count = 0, step = 0, offset = 0] = run
      .split(".")
      .map(part => Number.parseInt(part, 36));
    for (let i = 0, from = first; i < count; i++, from += step) {
      folding.set(String.fromCodePoint(from), String.fromCodePoint(from + offset));
    }
  }
  for (const entry of words(FOLD_LONG)) {
    const [from = "", to = ""] = entry.split(">");
    const codePoints = to.split("+").map(part => Number.parseInt(part, 36));
    folding.set(String.fromCodePoint(Number.parseInt(from, 36)), String.fromCodePoint(...codePoints));
  }
  return folding;
}

const CHARACTERS = decodeClasses();
const CLASS_OF = decodeRuns();
const FOLDING = decodeFolding();

/** The properties of one character (a string of one code point) in the pinned Unicode version. */
export function characterOf(char: string): Character {
  return CHARACTERS[CLASS_OF[char.codePointAt(0) ?? 0] ?? 0]!;
}

/** Full case folding (CaseFolding.txt, C + F) of the pinned version: one answer in every locale. */
export function foldCase(text: string): string {
  let folded = "";
  for (const char of text) folded += FOLDING.get(char) ?? char;
  return folded;
}

/**
 * NFKC and case folding, repeated until nothing changes, which makes applying it twice the same as
 * once. Null if it never settles (no assigned character does that).
 */
export function foldName(text: string): string | null {
  let name = text.normalize("NFKC");
  for (let round = 0; round < 8; round++) {
    const next = foldCase(name).normalize("NFKC");
    if (next === name) return name;
    name = next;
  }
  return null;
}
