/** Characters a password must and may have. On its own, so that the signup page needs no schema library. */
export const PASSWORD_LENGTH = { min: 12, max: 128 };
