import type { Availability } from "../../domain/username/availability";
import { type ApiFailure, toApiFailure } from "../api-failure";

/** The state of the name in the field. */
export type UsernameStatus =
  | { kind: "idle" | "checking" | "available" | "taken" }
  | { kind: "reserved" | "invalid"; message: string }
  | { kind: "unknown"; why: "busy" | "limited" | "unreachable"; retryAfterMs?: number };

/** An unknown name does not block, because the server decides at sign-up. */
export function blocksSignup({ kind }: UsernameStatus): boolean {
  return kind === "taken" || kind === "reserved" || kind === "invalid";
}

export function statusFromAvailability(availability: Availability): UsernameStatus {
  switch (availability.status) {
    case "busy":
      return { kind: "unknown", why: "busy", retryAfterMs: availability.retryAfterMs };
    case "reserved":
    case "invalid":
      return { kind: availability.status, message: availability.message };
    default:
      return { kind: availability.status };
  }
}

export function statusFromError(error: unknown): UsernameStatus {
  const { code, message, details }: ApiFailure = toApiFailure(error);
  if (code === "BAD_REQUEST") return { kind: "invalid", message };
  const why = code === "TOO_MANY_REQUESTS" ? "limited" : code ? "busy" : "unreachable";
  return { kind: "unknown", why, retryAfterMs: details.retryAfterMs };
}

const CONTINUE = "You can continue: the name is checked when you sign up.";
const unknownTexts = {
  busy: ["Not checked yet.", `Names can't be checked right now. ${CONTINUE}`],
  limited: ["Not checked yet.", `Too many names were checked in a short time. ${CONTINUE}`],
  unreachable: ["Not checked yet.", `The server can't be reached right now. ${CONTINUE}`],
} as const;

/** The state as a word, and a sentence after it. Empty until the check ends. */
export function statusText(status: UsernameStatus, username: string): readonly [word: string, text: string] {
  switch (status.kind) {
    case "available":
      return ["Free.", `${username} can be yours.`];
    case "taken":
      return ["Taken.", "Another user has this name, or one that looks like it."];
    case "reserved":
      return ["Reserved.", status.message];
    case "invalid":
      return ["Not possible.", status.message];
    case "unknown":
      return unknownTexts[status.why];
    default:
      return ["", ""];
  }
}
