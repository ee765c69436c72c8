import { AppError } from "../domain/app-error";

/** @param problem a sentence without its full stop */
export function busy(problem: string, retryAfterMs: number): AppError {
  return new AppError("BUSY", `${problem}. Try again in ${retryAfterMs} ms.`, { retryAfterMs });
}

/** The error of orders whose outcome was never learnt. */
export const unknownState = (): AppError =>
  busy("It is unknown whether these orders are durable; look up their state first", 1_000);
