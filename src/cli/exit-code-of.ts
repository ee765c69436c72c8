import { TRPCClientError } from "@trpc/client";
import { LateError, UsageError } from "./command-errors";

/** 1 refused or failed, 2 wrong usage, 3 no answer in time. */
export function exitCodeOf(error: unknown): 1 | 2 | 3 {
  if (error instanceof UsageError) return 2;
  const isUnanswered = error instanceof TRPCClientError && !error.data;
  return error instanceof LateError || isUnanswered ? 3 : 1;
}
