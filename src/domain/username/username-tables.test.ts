import { readdirSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { expect, it } from "vitest";

// The data package is too large for running servers (22 MB, some 170 modules): this test
// derives username-tables.ts from it and fails on any difference. After a new pin: vitest run -u.
// The pin is what the ICU of the oldest supported Node (20.19) can normalise: see UNICODE_PIN.
const UNICODE_PIN = "16.0.0";
const home = dirname(createRequire(import.meta.url).resolve(`@unicode/unicode-${UNICODE_PIN}/package.json`));
const LAST = 0x10ffff;

type Range = { begin: number; end: number };
const load = async (path: string) => (await import(join(home, path))).default;
const ranges = (path: string): Promise<Range[]> => load(`${path}/ranges.mjs`);
const namesIn = (folder: string) => readdirSync(join(home, folder)).filter(name => !name.includes("."));
const base36 = (value: number) => value.toString(36);

async function paint<T>(paths: string[], paintOne: (codePoint: number, path: string) => T) {
  for (const path of paths) {
    for (const { begin, end } of await ranges(path)) for (let c = begin; c < end; c++) paintOne(c, path);
  }
}

const KINDS: [string, string][] = [
  ["u", "General_Category/Unassigned"],
  ["u", "General_Category/Private_Use"],
  ["l", "General_Category/Letter"],
  ["n", "General_Category/Nonspacing_Mark"],
  ["c", "General_Category/Spacing_Mark"],
  ["d", "General_Category/Decimal_Number"],
  ["i", "General_Category/Format"],
  ["i", "Binary_Property/Default_Ignorable_Code_Point"],
];
// RFC 8264: old hangul jamo (9.9) and the exceptions of 9.6 that are DISALLOWED.
const REFUSED = [
  [0x0640, 0x0640],
  [0x07fa, 0x07fa],
  [0x302e, 0x302f],
  [0x3031, 0x3035],
  [0x303b, 0x303b],
  [0x1100, 0x11ff],
  [0xa960, 0xa97c],
  [0xd7b0, 0xd7fb],
] as const;
const BIDI: Record<string, string> = {
  Left_To_Right: "L",
  Right_To_Left: "R",
  Arabic_Letter: "AL",
  Arabic_Number: "AN",
  European_Number: "EN",
  Nonspacing_Mark: "NSM",
};

async function characterRuns(scripts: string[]) {
  const kind = new Array<string>(LAST + 1).fill("s");
  for (const [letter, path] of KINDS) await paint([path], c => (kind[c] = letter));
  kind[0x3007] = "l"; // the ideographic zero: PVALID by exception
  for (const [from, to] of REFUSED)
    for (let c: number = from; c <= to; c++) if (kind[c] !== "i") kind[c] = "s";

  const scriptsOf = new Array<string>(LAST + 1).fill("");
  for (const [index, name] of scripts.entries()) {
    await paint([`Script_Extensions/${name}`], c => (scriptsOf[c] += `,${base36(index)}`));
  }
  const bidiOf = new Array<string>(LAST + 1).fill("ON");
  await paint(
    Object.keys(BIDI).map(name => `Bidi_Class/${name}`),
    (c, path) => (bidiOf[c] = BIDI[path.slice(11)]!),
  );
  const classes = new Map<string, number>();
  const runs: string[] = [];
  let count = 0;
  for (let c = 0, last = ""; c <= LAST + 1; c++) {
    const now = "lncd".includes(kind[c] ?? "s")
      ? `${kind[c]}.${bidiOf[c]}.${scriptsOf[c]!.slice(1)}`
      : (kind[c] ?? "end");
    if (c > 0 && now !== last) {
      if (!classes.has(last)) classes.set(last, classes.size);
      runs.push(base36(classes.get(last)!) + (count > 1 ? `:${base36(count)}` : ""));
      count = 0;
    }
    last = now;
    count += 1;
  }
  return { classes: [...classes.keys()], runs };
}

// Case_Folding C + F. A run is first.count.step.offset: neighbours that fold by the same offset.
async function foldRuns() {
  const common: Map<number, number> = await load("Case_Folding/C/code-points.mjs");
  const full: Map<number, number[]> = await load("Case_Folding/F/code-points.mjs");
  const runs: { first: number; count: number; step: number; offset: number }[] = [];
  for (const [from, to] of [...common].sort((a, b) => a[0] - b[0])) {
    const run = runs.at(-1);
    const gap = run ? from - (run.first + run.step * (run.count - 1)) : 0;
    const joins = run && run.offset === to - from && (run.count === 1 ? gap <= 2 : gap === run.step);
    if (run && joins) Object.assign(run, { step: gap, count: run.count + 1 });
    else runs.push({ first: from, count: 1, step: 1, offset: to - from });
  }
  const simple = runs.map(({ first, count, step, offset }) =>
    [first, count, step, offset].map(base36).join("."),
  );
  const long = [...full].map(([from, to]) => `${base36(from)}>${to.map(base36).join("+")}`);
  return { simple, long };
}

function wrap(words: string[]): string {
  let text = "";
  let width = 0;
  for (const word of words) {
    const breaks = width + 1 + word.length > 108;
    text += (text === "" ? "" : breaks ? "\n" : " ") + word;
    width = breaks || width === 0 ? word.length : width + 1 + word.length;
  }
  return text;
}

it("contains exactly the pinned Unicode data", { timeout: 30_000 }, async () => {
  const scripts = namesIn("Script_Extensions").filter(
    name => !["Common", "Inherited", "Unknown"].includes(name),
  );
  const { classes, runs } = await characterRuns(scripts);
  const { simple, long } = await foldRuns();
  const table = (name: string, words: string[]) => `export const ${name} = \`\n${wrap(words)}\n\`;\n`;
  const text = [
    `// Generated by username-tables.test.ts from @unicode/unicode-${UNICODE_PIN}; read by username-characters.ts.\n`,
    "// Data (c) Unicode, Inc., Unicode License V3.\n\n",
    "/**\n * The Unicode version whose characters a username may use. It is the one that the ICU of the oldest\n",
    " * supported Node (20.19) normalises: with a newer one, keys would differ between two servers.\n */\n",
    `export const UNICODE_PIN = "${UNICODE_PIN}";\n\n`,
    table("SCRIPTS", scripts),
    table("CLASSES", classes),
    table("RUNS", runs),
    table("FOLD_RUNS", simple),
    table("FOLD_LONG", long),
  ].join("");
  await expect(text).toMatchFileSnapshot("./username-tables.ts");
});
