import type { Availability } from "../../domain/username/availability";
import { type ApiFailure, toApiFailure } from "../api-failure";

/** What the form knows about the name in the field. */
export type UsernameStatus =
  | { kind: "idle" | "checking" | "available" | "taken" }
  | { kind: "reserved" | "invalid"; message: string }
  | { kind: "unknown"; why: "busy" | "limited" | "unreachable"; retryAfterMs?: number };

/** Unknown lets people go on: the server decides again at signup, and only it can. */
export function blocksSignup({ kind }: UsernameStatus): boolean {
  return kind === "taken" || kind === "reserved" || kind === "invalid";
}

export function statusFromAnswer(answer: Availability): UsernameStatus {
  switch (answer.status) {
    case "busy":
      return { kind: "unknown", why: "busy", retryAfterMs: answer.retryAfterMs };
    case "reserved":
    case "invalid":
      return { kind: answer.status, message: answer.message };
    default:
      return { kind: answer.status };
  }
}

export function statusFromError(error: unknown): UsernameStatus {
  const { code, message, details }: ApiFailure = toApiFailure(error);
  if (code === "BAD_REQUEST") return { kind: "invalid", message };
  const why = code === "TOO_MANY_REQUESTS" ? "limited" : code ? "busy" : "unreachable";
  return { kind: "unknown", why, retryAfterMs: details.retryAfterMs };
}

const goOn = "You can go on: we check it when you sign up.";
const unknownTexts = {
  busy: ["Not checked yet.", `We can't check names right now. ${goOn}`],
  limited: ["Not checked yet.", `That was a lot of names in a short time. ${goOn}`],
  unreachable: ["Not checked yet.", `We can't be reached right now. ${goOn}`],
} as const;

/** The word that carries the state, and the sentence after it. Empty while nothing is settled. */
export function statusText(status: UsernameStatus, username: string): readonly [word: string, text: string] {
  switch (status.kind) {
    case "available":
      return ["Free.", `${username} can be yours.`];
    case "taken":
      return ["Taken.", "Someone has this name, or one that looks like it."];
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
