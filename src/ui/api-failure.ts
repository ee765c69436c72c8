import type { AppErrorDetails } from "../domain/app-error";

/** A failed call as the pages see it. No code means that no server of ours answered. */
export type ApiFailure = {
  code?: string;
  message: string;
  details: AppErrorDetails;
  requestId?: string;
};

type ErrorData = { code?: string; details?: AppErrorDetails; requestId?: string };

/** Reads the error shape by hand: a proxy's error page, or no answer at all, carries no data. */
export function toApiFailure(error: unknown): ApiFailure {
  const data = (error as { data?: ErrorData | null } | null)?.data ?? {};
  return {
    code: data.code,
    message: error instanceof Error ? error.message : "",
    details: data.details ?? {},
    requestId: data.requestId,
  };
}
