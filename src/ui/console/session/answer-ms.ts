/** How long signing in and out waits for the server, milliseconds: a password's hash takes its time. */
export const ANSWER_MS = 20_000;
