/** Every way a request can fail on purpose. Transport-free: the api maps codes to HTTP. */
export type AppErrorCode =
  | "BAD_REQUEST"
  | "UNAUTHENTICATED"
  | "FORBIDDEN"
  | "NOT_FOUND"
  | "CONFLICT"
  | "RATE_LIMITED"
  | "BUSY"
  | "INTERNAL";

/** What the person at the form may know about an error; sent as `error.data.details`. */
export type AppErrorDetails = {
  /** The form field the error belongs to. */
  field?: "username" | "email" | "password";
  /** Which rule refused the value: a `UsernameRule` for usernames. */
  rule?: string;
  /** Usernames that were free a moment ago. */
  suggestions?: string[];
  /** Milliseconds to wait before trying again. */
  retryAfterMs?: number;
  /** Gates that keep a filter version from being promoted. */
  gates?: string[];
};

/**
 * An error whose message may be shown to anyone. Anything else that is thrown
 * leaves the process as "Internal error", with its cause in the log only.
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
