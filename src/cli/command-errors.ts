/** What is wrong with the command line itself. */
export class UsageError extends Error {}
/** It was asked for, and did not come about. */
export class FailedError extends Error {}
/** It may still come about: nobody answered in time. */
export class LateError extends Error {}
