import { useRouter } from "next/navigation";
import { useEffect, useReducer, useRef } from "react";
import { toApiFailure } from "../api-failure";
import { newIdempotencyKey } from "../idempotency-key";
import { checkInput } from "./check-input";
import { type SignupIntent, sendSignup } from "./send-signup";
import { emptySignup, type Field, fields, signupReducer } from "./signup-state";
import { useUsernameStatus } from "./use-username-status";
import { blocksSignup, type UsernameStatus } from "./username-status";

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
    try {
      const { signedIn } = await sendSignup(intent.current, () => dispatch({ type: "unknown" }));
      if (signedIn) router.push("/welcome");
      else dispatch({ type: "created" });
    } catch (error) {
      dispatch({ type: "failed", failure: toApiFailure(error) });
      isInFlight.current = false;
    }
  }

  /** @returns false when the question stays, so that the caller can focus it again. */
  function next(): boolean {
    const message = checkInput(field, values[field]);
    if (message) {
      dispatch({ type: "refused", field, message });
      return false;
    }
    if (field === "username") {
      if (blocksSignup(status)) return false;
      dispatch(status.kind === "checking" ? { type: "waiting" } : { type: "moved", by: 1 });
      return true;
    }
    if (field === "email") dispatch({ type: "moved", by: 1 });
    else void send();
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
