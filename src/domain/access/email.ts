/** The canonical address, or why the text is none. */
export type EmailVerdict = { ok: true; email: string } | { ok: false; message: string };

/** Octets, RFC 5321 4.5.3.1: of the local part, and of the whole address. */
const MAX_LOCAL = 64;
const MAX_ADDRESS = 254;
/** Of the text as typed, in UTF-16 units: bounded before it is normalised. */
const MAX_RAW_UNITS = 1024;

const FORM = "An address has the form name@example.com.";
const MESSAGES = {
  empty: "Type your e-mail address first.",
  "too-long": "This e-mail address is too long: 64 characters before the @ and 254 in all are the limits.",
  malformed: "This e-mail address has broken or invisible characters in it. Please type it again.",
  at: `This e-mail address is incomplete. ${FORM}`,
  local: `The part before the @ can't be in an e-mail address. ${FORM}`,
  domain: `The part after the @ is no domain. ${FORM}`,
  literal: `An IP address can't stand for the domain. ${FORM}`,
};

const refuse = (rule: keyof typeof MESSAGES): EmailVerdict => ({ ok: false, message: MESSAGES[rule] });

// RFC 5322 atext, and RFC 6531: every character beyond ASCII, less what `UNSEEN` refuses.
const ATEXT = "[a-z0-9!#$%&'*+/=?^_`{|}~\\u0080-\\u{10ffff}-]+";
const DOT_ATOM = new RegExp(`^${ATEXT}(?:\\.${ATEXT})*$`, "u");
const QUOTED = /^"((?:[^"\\]|\\.)*)"$/u;
const UNSEEN = /[\p{C}\p{Default_Ignorable_Code_Point}]/u;
/** All spaces but that of ASCII, which a quoted local part may have. */
const SPACE = /(?! )[\p{Z}\s]/u;
const DOMAIN = /^(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.)+(?!\d+$)[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/;

const octets = (text: string) => new TextEncoder().encode(text).length;
const fold = (text: string) => text.normalize("NFKC").toLowerCase().normalize("NFKC");

/**
 * The one reader of e-mail addresses, for browser and server. The local part as RFC 5321 and 6531 have it, in lower case
 * and without needless quotes; the domain as A-labels (UTS 46, by the URL parser). `readEmail(email).email === email`.
 */
export function readEmail(raw: string): EmailVerdict {
  if (raw.length > MAX_RAW_UNITS) return refuse("too-long");
  const text = fold(raw.trim());
  if (text === "") return refuse("empty");
  if (UNSEEN.test(text) || SPACE.test(text)) return refuse("malformed");
  const at = text.lastIndexOf("@");
  if (at < 1 || at === text.length - 1) return refuse("at");
  if (text[at + 1] === "[") return refuse("literal");
  const local = readLocalPart(text.slice(0, at));
  if (local === null) return refuse("local");
  const domain = toALabels(text.slice(at + 1));
  if (domain === null) return refuse("domain");
  if (IPV4.test(domain)) return refuse("literal");
  if (!DOMAIN.test(domain)) return refuse("domain");
  const email = `${local}@${domain}`;
  return octets(local) > MAX_LOCAL || octets(email) > MAX_ADDRESS ? refuse("too-long") : { ok: true, email };
}

const IPV4 = /^\d+(?:\.\d+){3}$/;

/** `"john"` is john: quotes and backslashes are no part of the name where it needs none. */
function readLocalPart(text: string): string | null {
  if (DOT_ATOM.test(text)) return text;
  const quoted = QUOTED.exec(text)?.[1]?.replace(/\\(.)/gu, "$1");
  if (quoted === undefined) return null;
  return DOT_ATOM.test(quoted) ? quoted : `"${quoted.replace(/["\\]/g, "\\$&")}"`;
}

/** The URL parser would also take ports, paths, escapes and underscores: no such character reaches it. */
function toALabels(domain: string): string | null {
  if (!/^[a-z0-9.\u0080-\u{10ffff}-]+$/u.test(domain)) return null;
  try {
    return new URL(`http://${domain}`).hostname;
  } catch {
    return null;
  }
}

/**
 * The beginning of canonical addresses that a search text is the beginning of. Of an unfinished label that is not in
 * ASCII nothing is known: its A-label begins differently.
 */
export function emailPrefix(search: string): string {
  const verdict = readEmail(search);
  if (verdict.ok) return verdict.email;
  const text = fold(search.trim());
  const labels = text.slice(text.lastIndexOf("@") + 1).split(".");
  const last = labels.pop()!;
  if (!text.includes("@") || /^[\0-\x7f]*$/.test(labels.join("") + last)) return text;
  const known = labels.map(label => toALabels(label) ?? label).concat(/^[\0-\x7f]*$/.test(last) ? last : "");
  return `${text.slice(0, text.lastIndexOf("@") + 1)}${known.join(".")}`;
}
