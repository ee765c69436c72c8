import { toApiFailure } from "../api-failure";
import { loadApi } from "../load-api";
import { type Field, isOutcomeUnknown } from "./signup-state";

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
export async function sendSignup(intent: SignupIntent, onUnknown: () => void) {
  const api = await loadApi();
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
