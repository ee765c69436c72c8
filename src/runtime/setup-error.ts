/**
 * A process can't work before its setup is changed; the message says how. Every reader of the health may see it: it
 * has no paths, addresses and values.
 */
export class SetupError extends Error {}
