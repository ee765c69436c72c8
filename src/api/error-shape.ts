import type { TRPCError } from "@trpc/server";
import { ZodError } from "zod";
import { AppError, type AppErrorCode } from "../domain/app-error";

/** The one table from our error codes to tRPC's. */
export const TRPC_CODES = {
  BAD_REQUEST: "BAD_REQUEST",
  UNAUTHENTICATED: "UNAUTHORIZED",
  FORBIDDEN: "FORBIDDEN",
  NOT_FOUND: "NOT_FOUND",
  CONFLICT: "CONFLICT",
  RATE_LIMITED: "TOO_MANY_REQUESTS",
  BUSY: "SERVICE_UNAVAILABLE",
  INTERNAL: "INTERNAL_SERVER_ERROR",
} as const satisfies Record<AppErrorCode, TRPCError["code"]>;

/** Public messages of the errors that tRPC raises before a procedure runs. */
const TRANSPORT_MESSAGES: Partial<Record<TRPCError["code"], string>> = {
  NOT_FOUND: "There is no such procedure.",
  PARSE_ERROR: "The request is not valid JSON.",
  BAD_REQUEST: "The request could not be understood.",
  METHOD_NOT_SUPPORTED: "This procedure does not accept this HTTP method.",
  UNSUPPORTED_MEDIA_TYPE: "Send application/json.",
  PAYLOAD_TOO_LARGE: "The request is too large.",
  TOO_MANY_REQUESTS: "Too many requests.",
  CLIENT_CLOSED_REQUEST: "The request was cancelled.",
};

/** Message and details that may leave the process: never a stack, SQL, a path or a host. */
export function publicError(error: TRPCError): { message: string; details: Record<string, unknown> } {
  if (error.cause instanceof AppError) return { message: error.cause.message, details: error.cause.details };
  if (error.cause instanceof ZodError) {
    const issue = error.cause.issues[0];
    return {
      message: issue?.message ?? TRANSPORT_MESSAGES.BAD_REQUEST!,
      details: { field: issue?.path.map(String).join("."), rule: issue?.code },
    };
  }
  const isBatchLimit = error.code === "BAD_REQUEST" && error.message === "Batch call exceeds maximum size";
  if (isBatchLimit) return { message: "Too many calls in one batch.", details: {} };
  return { message: TRANSPORT_MESSAGES[error.code] ?? "Internal error", details: {} };
}
