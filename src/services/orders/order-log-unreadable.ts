import { AppError } from "../../domain/app-error";

/** The refusal of what needs the order log's shards, which could not be read because of `cause`. */
export function orderLogUnreadable(cause: unknown): AppError {
  return new AppError(
    "BUSY",
    "The order log cannot be read: Redis does not answer, or no aggregator has run yet. Try again in a moment.",
    { retryAfterMs: 2_000, cause },
  );
}
