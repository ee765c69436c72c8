import { strictSkeleton } from "./strict-skeleton";
import { foldName } from "./username-characters";
import { skeletonOf } from "./username-skeleton";

/**
 * A name that no user may take. `exact` compares keys. The others compare strict skeletons, so that lookalikes and
 * added symbols are refused as well, such as "adm1n" and "ad-min" for "admin". `skeleton` refuses the word itself, and
 * names that consist of such words ("support-team"); `contains` finds it anywhere in a name.
 */
export type ReservedWord = { pattern: string; kind: "exact" | "contains" | "skeleton"; reason: string };

/** The two forms of a name from `readUsername`. */
export type ReservedName = { key: string; skeleton: string };

const withoutSymbols = (strict: string) => strict.replaceAll(".", "");

/** The forms that are compared: with keys, and with strict skeletons without symbols. */
export function foldPattern(pattern: string): { folded: string; strict: string } {
  const folded = foldName(pattern.trim()) ?? "";
  return { folded, strict: withoutSymbols(strictSkeleton(skeletonOf(folded))) };
}

/** Whether a name can match the word: a pattern that folds to nothing matches no name. */
export function matchesSomething({ pattern, kind }: Pick<ReservedWord, "pattern" | "kind">): boolean {
  const { folded, strict } = foldPattern(pattern);
  return kind === "exact" ? folded !== "" : strict !== "";
}

/**
 * A matcher over many words: a few look-ups, then one search per `contains` word. Patterns are folded
 * as names are, but may be shorter; one that folds to nothing matches nothing.
 */
export function compileReserved(words: readonly ReservedWord[]) {
  const exact = new Map<string, ReservedWord>();
  const lookalike = new Map<string, ReservedWord>();
  const contained: { part: string; word: ReservedWord }[] = [];
  for (const word of words.filter(matchesSomething)) {
    const { folded, strict } = foldPattern(word.pattern);
    if (word.kind === "exact") exact.set(folded, word);
    else if (word.kind === "contains") contained.push({ part: strict, word });
    else lookalike.set(strict, word);
  }
  return ({ key, skeleton }: ReservedName): ReservedWord | null => {
    const strict = strictSkeleton(skeleton);
    const whole = withoutSymbols(strict);
    const parts = strict.split(".");
    return (
      exact.get(key) ??
      lookalike.get(whole) ??
      (parts.every(part => lookalike.has(part)) ? lookalike.get(parts[0]!) : undefined) ??
      contained.find(({ part }) => whole.includes(part))?.word ??
      null
    );
  };
}

/** The word that forbids this name, or null. For more than one name, compile the words once. */
export function matchReserved(words: readonly ReservedWord[], name: ReservedName): ReservedWord | null {
  return compileReserved(words)(name);
}

const all = (kind: ReservedWord["kind"], reason: string, patterns: string): ReservedWord[] =>
  patterns.split(" ").map(pattern => ({ pattern, kind, reason }));

/** The initial rows of the table of reserved words; afterwards only the table counts. */
export const DEFAULT_RESERVED_WORDS: readonly ReservedWord[] = [
  ...all(
    "skeleton",
    "could pass for the people who run this service",
    "admin administrator root superuser sysadmin support helpdesk moderator mod staff team official owner " +
      "operator security abuse postmaster hostmaster webmaster billing payments system floodgate",
  ),
  ...all(
    "contains",
    "could pass for the people who run this service",
    "floodgate official-support support-team",
  ),
  ...all("contains", "names a role of this service", "administrator moderator superuser"),
  ...all(
    "exact",
    "is an address on this site",
    "about account accounts api app apps assets auth blog cdn checkout config console contact dashboard " +
      "dev docs download email events explore favicon.ico feed files health help home img index info " +
      "invite jobs js legal live login logout mail me metrics news notifications oauth orders ping " +
      "pricing privacy public readyz register reset robots.txt rss search session sessions settings " +
      "signin signout signup sitemap.xml smtp static stats status store terms test trade trpc user " +
      "username users verify webhook webhooks well-known ws www",
  ),
  ...all(
    "exact",
    "means no account or all accounts in programs and conversations",
    "null undefined nil none nan true false void unknown anonymous anon guest nobody everyone everybody " +
      "all here channel deleted default self you",
  ),
];
