import { AppError } from "../domain/app-error";

/** @param what happened, a sentence without its full stop */
export function busy(what: string, retryAfterMs: number): AppError {
  return new AppError("BUSY", `${what}. Try again in ${retryAfterMs} ms.`, { retryAfterMs });
}

/** What a caller is told of orders that were given up. */
export const unknownFate = (): AppError =>
  busy("It is not known whether these orders are durable; ask for their state", 1_000);
