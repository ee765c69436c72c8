/** Time limit of a sign-in or sign-out, milliseconds. Hashing a password is slow. */
export const AUTH_TIMEOUT_MS = 20_000;
