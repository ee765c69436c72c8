import { type ApiFailure, toApiFailure } from "../api-failure";
import type { loadApi } from "../load-api";
import type { Field } from "./signup-state";

export type SignupIntent = { values: Record<Field, string>; key: string };

const answerTimeoutMs = 15_000;
/** Between the tries; after the last one the user decides. */
const pausesMs = [1_000, 2_000, 4_000, 8_000, 15_000, 15_000];

const sleep = (ms: number) => new Promise<void>(wake => setTimeout(wake, ms));

type Api = Awaited<ReturnType<typeof loadApi>>;

function sendOnce(api: Api, { values, key }: SignupIntent) {
  return api.account.signUp.mutate(
    { ...values, email: values.email.trim() },
    { context: { idempotencyKey: key }, signal: AbortSignal.timeout(answerTimeoutMs) },
  );
}

/**
 * Sends the sign-up, and again while it is unknown whether the account was created: the same key creates it once.
 * @throws the last failure
 */
export async function sendSignup(api: Api, intent: SignupIntent, onUnknown: () => void) {
  let isUnknown = false;
  for (const pauseMs of pausesMs) {
    try {
      return await sendOnce(api, intent);
    } catch (error) {
      const failure = toApiFailure(error);
      isUnknown ||= isOutcomeUnknown(failure);
      const isBusy = failure.code === "SERVICE_UNAVAILABLE";
      if (!isUnknown || !(isBusy || isOutcomeUnknown(failure))) throw error;
      onUnknown();
      await sleep(Math.max(pauseMs, failure.details.retryAfterMs ?? 0));
    }
  }
  return sendOnce(api, intent);
}

/** The account may exist: no answer came, or the server itself got none from the database. */
function isOutcomeUnknown({ code, details }: ApiFailure): boolean {
  return code === undefined || details.outcome === "unknown";
}

/** Why a sign-up that was sent failed, when no field is the cause. */
export function failureText(failure: ApiFailure): string {
  const { code, details, requestId } = failure;
  if (isOutcomeUnknown(failure))
    return "No answer came: we don't know whether your account was created. Your input is kept: try again. If it was created, that signs you in.";
  const wait = details.retryAfterMs ? `in ${Math.ceil(details.retryAfterMs / 1_000)} s` : "in a moment";
  switch (code) {
    case "TOO_MANY_REQUESTS":
      return `Too many sign-ups came from your network. Your input is kept: try again ${wait}.`;
    case "SERVICE_UNAVAILABLE":
      return `The server is busy, and no account was created. Your input is kept: try again ${wait}.`;
    default:
      return `The server failed. Try again ${wait}${requestId ? `, or give the reference ${requestId} to support` : ""}.`;
  }
}
