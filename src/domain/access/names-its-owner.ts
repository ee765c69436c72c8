/** Shorter names are in too many words: "ana" is in "banana". */
const MIN_CODE_POINTS = 4;

/**
 * Whether a password holds what everyone can see of its owner: the username, or what stands before the @ of the e-mail
 * address. Capitals make no difference.
 */
export function namesItsOwner(password: string, { key, email }: { key: string; email: string }): boolean {
  const text = password.toLowerCase();
  const local = email.slice(0, email.lastIndexOf("@"));
  return [key, local].some(name => [...name].length >= MIN_CODE_POINTS && text.includes(name));
}
