/** The codes of expected failures. Independent of the transport: the API maps them to HTTP. */
export type AppErrorCode =
  | "BAD_REQUEST"
  | "UNAUTHENTICATED"
  | "FORBIDDEN"
  | "NOT_FOUND"
  | "CONFLICT"
  | "RATE_LIMITED"
  | "BUSY"
  | "INTERNAL";

/** Public details of an error; sent as `error.data.details`. */
export type AppErrorDetails = {
  /** The form field the error belongs to. */
  field?: "username" | "email" | "password";
  /** Which rule refused the value: a `UsernameRule` for usernames; `common` or `personal` for passwords. */
  rule?: string;
  /** Usernames that were free at the time of the answer. */
  suggestions?: string[];
  /** Milliseconds to wait before trying again. */
  retryAfterMs?: number;
  /** It is unknown whether the change was made. The same request with the same idempotency key finds out. */
  outcome?: "unknown";
  /** Gates that block the promotion of a filter version. */
  gates?: string[];
};

/**
 * An error with a public message. Clients get "Internal error" for all other errors, and only the log
 * has their cause.
 */
export class AppError extends Error {
  readonly code: AppErrorCode;
  readonly details: AppErrorDetails;

  constructor(code: AppErrorCode, message: string, details: AppErrorDetails & { cause?: unknown } = {}) {
    const { cause, ...shown } = details;
    super(message, { cause });
    this.name = "AppError";
    this.code = code;
    this.details = shown;
  }
}
