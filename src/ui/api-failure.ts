import type { AppErrorDetails } from "../domain/app-error";

/** A failed call. Without a code no Floodgate server answered. */
export type ApiFailure = {
  code?: string;
  message: string;
  details: AppErrorDetails;
  requestId?: string;
};

type ErrorData = { code?: string; details?: AppErrorDetails; requestId?: string };

/** Tolerates errors without data, such as the error page of a proxy or no answer at all. */
export function toApiFailure(error: unknown): ApiFailure {
  const data = (error as { data?: ErrorData | null } | null)?.data ?? {};
  return {
    code: data.code,
    message: error instanceof Error ? error.message : "",
    details: data.details ?? {},
    requestId: data.requestId,
  };
}
