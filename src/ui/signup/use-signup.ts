import { useRouter } from "next/navigation";
import { useEffect, useReducer, useRef } from "react";
import { type ApiFailure, toApiFailure } from "../api-failure";
import { newIdempotencyKey } from "../idempotency-key";
import { loadApi } from "../load-api";
import { isPageOld, isPartGone, updatePage } from "../page-build";
import { checkInput, loadEmailReader } from "./check-input";
import { keepAnswers, takeAnswers } from "./kept-answers";
import type { SignupIntent } from "./send-signup";
import { emptySignup, type Field, fields, signupReducer } from "./signup-state";
import { useUsernameStatus } from "./use-username-status";
import { blocksSignup, type UsernameStatus } from "./username-status";

const notSent = (): string => "This page did not load in full, so nothing was sent. Try again in a moment.";

/** The state of a sign-up: three fields, their status, and the request at the end. */
export function useSignup() {
  const router = useRouter();
  const [state, dispatch] = useReducer(signupReducer, emptySignup);
  const { step, values, refused, isWaiting } = state;
  const field = fields[step] as Field;
  const isInFlight = useRef(false);
  /** The same answers are the same sign-up, however often they are sent. */
  const intent = useRef<SignupIntent>(undefined);

  const checked = useUsernameStatus(values.username);
  const isRefused = refused !== undefined && refused.username === values.username;
  const status: UsernameStatus = isRefused ? { kind: "taken" } : checked;

  useEffect(() => {
    // Without it the server alone reads the address.
    if (step > 0) loadEmailReader().catch(() => {});
  }, [step]);

  // The user pressed Enter before the check ended: move on unless the name is refused.
  useEffect(() => {
    if (!isWaiting || status.kind === "checking") return;
    dispatch(blocksSignup(status) ? { type: "stayed" } : { type: "moved", by: 1 });
  }, [isWaiting, status]);

  async function send() {
    // A ref, because the form can be submitted twice before React renders the disabled button.
    if (isInFlight.current) return;
    isInFlight.current = true;
    dispatch({ type: "sent" });
    if (intent.current?.values !== values) intent.current = { values, key: newIdempotencyKey() };
    let explain: (failure: ApiFailure) => string = notSent;
    try {
      // Loaded here: the page's script has a limit, and this is its last step.
      const [last, api] = await Promise.all([import("./send-signup"), loadApi()]);
      explain = last.failureText;
      const { signedIn } = await last.sendSignup(api, intent.current, () => dispatch({ type: "unknown" }));
      if (signedIn) router.push("/welcome");
      else dispatch({ type: "created" });
    } catch (error) {
      const failure = toApiFailure(error);
      // What an old page sent was refused, and no field is to blame.
      const isRefused = failure.code === "BAD_REQUEST" || failure.code === "NOT_FOUND";
      const isTooOld = isPageOld() && isRefused && !failure.details.field;
      if ((isTooOld || (await isPartGone(error))) && update(step)) return;
      dispatch({ type: "failed", failure, text: explain(failure) });
      isInFlight.current = false;
    }
  }

  /** Loads a newer page, which asks question `at`. @returns false when this one stays */
  function update(at: number): boolean {
    const { username, email } = values;
    return updatePage(() => keepAnswers({ username, email, step: at }));
  }

  // Answers of a page that was older than the server.
  useEffect(() => {
    const answers = takeAnswers();
    if (answers) dispatch({ type: "restored", answers });
  }, []);

  /** @returns false when the question stays, so that the caller can focus it again. */
  function next(): boolean {
    const message = checkInput(field, values[field]);
    if (message) {
      dispatch({ type: "refused", field, message });
      return false;
    }
    if (field === "username") {
      if (blocksSignup(status)) return false;
      if (status.kind === "checking") dispatch({ type: "waiting" });
      else if (!(isPageOld() && update(1))) dispatch({ type: "moved", by: 1 });
      return true;
    }
    if (field === "password") void send();
    else if (!(isPageOld() && update(2))) dispatch({ type: "moved", by: 1 });
    return true;
  }

  return {
    ...state,
    field,
    status,
    suggestions: isRefused ? refused.suggestions : [],
    next,
    back: () => dispatch({ type: "moved", by: -1 }),
    setValue: (to: Field, value: string) => dispatch({ type: "typed", field: to, value }),
  };
}
