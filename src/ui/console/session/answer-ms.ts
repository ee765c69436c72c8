/** Time limit of a sign-in or sign-out, milliseconds. Hashing a password is slow. */
export const ANSWER_MS = 20_000;
