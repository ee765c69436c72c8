/** Bounds of a password, in code points of its normal form. */
export const PASSWORD_LENGTH = { min: 12, max: 128 };

/** Of the text as typed, in UTF-16 units: the longest normal form has room in it, decomposed as well. */
export const MAX_RAW_PASSWORD_UNITS = 1024;

// Spelled out: \p{Zs} follows the ICU of the browser or of Node.
const SPACES = /[\u00a0\u1680\u2000-\u200a\u202f\u205f\u3000]/g;

/**
 * The one form of a password: two keyboards that show the same text give the same password. RFC 8265 OpaqueString with
 * NFKC instead of NFC, because full-width digits and jamo are typed by keyboards, too. Applying it twice changes nothing.
 */
export function normalizePassword(raw: string): string {
  return raw.replace(SPACES, " ").normalize("NFKC");
}

/** Code points of the normal form. Text that is too long to be a password is not normalised: its own length counts. */
export function passwordLength(raw: string): number {
  return raw.length > MAX_RAW_PASSWORD_UNITS ? raw.length : [...normalizePassword(raw)].length;
}
