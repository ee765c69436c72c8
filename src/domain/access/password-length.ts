/** Bounds of a password, in characters. A separate file, so that the sign-up page loads no schema library. */
export const PASSWORD_LENGTH = { min: 12, max: 128 };
