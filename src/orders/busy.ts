import { AppError } from "../domain/app-error";

/** @param what happened, a sentence without its full stop */
export function busy(what: string, retryAfterMs: number): AppError {
  return new AppError("BUSY", `${what}. Try again in ${retryAfterMs} ms.`, { retryAfterMs });
}
