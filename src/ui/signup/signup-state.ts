import type { ApiFailure } from "../api-failure";

export const fields = ["username", "email", "password"] as const;
export type Field = (typeof fields)[number];

export type SignupState = {
  /** Index into `fields`: the question being asked. */
  step: number;
  values: Record<Field, string>;
  errors: Partial<Record<Field, string>>;
  /** The name that lost at signup, and free ones in its place. */
  refused?: { username: string; suggestions: string[] };
  /** Enter was pressed while the name was still being checked. */
  wantsOn: boolean;
  isSending: boolean;
  /** Why the whole signup failed, when no single field is to blame. */
  failure?: string;
  /** The account exists, but the browser got no session for it. */
  isCreated: boolean;
};

export type SignupEvent =
  | { type: "typed"; field: Field; value: string }
  | { type: "refused"; field: Field; message: string }
  | { type: "moved"; by: 1 | -1 }
  | { type: "waiting" | "stayed" | "sent" | "created" }
  | { type: "failed"; failure: ApiFailure };

export const emptySignup: SignupState = {
  step: 0,
  values: { username: "", email: "", password: "" },
  errors: {},
  wantsOn: false,
  isSending: false,
  isCreated: false,
};

export function signupReducer(state: SignupState, event: SignupEvent): SignupState {
  switch (event.type) {
    case "typed":
      return {
        ...state,
        values: { ...state.values, [event.field]: event.value },
        errors: { ...state.errors, [event.field]: undefined },
        wantsOn: false,
        failure: undefined,
      };
    case "refused":
      return { ...state, errors: { ...state.errors, [event.field]: event.message }, wantsOn: false };
    case "moved":
      return { ...state, step: state.step + event.by, wantsOn: false, failure: undefined };
    case "waiting":
      return { ...state, wantsOn: true };
    case "stayed":
      return { ...state, wantsOn: false };
    case "sent":
      return { ...state, isSending: true, failure: undefined };
    case "created":
      return { ...state, isSending: false, isCreated: true };
    case "failed":
      return afterFailure({ ...state, isSending: false }, event.failure);
  }
}

/** An error about a field leads back to its question; anything else stays where it happened. */
function afterFailure(state: SignupState, failure: ApiFailure): SignupState {
  const { field, suggestions = [] } = failure.details;
  const step = field ? fields.indexOf(field) : -1;
  if (!field || step < 0) return { ...state, failure: failureText(failure) };
  if (field === "username" && failure.code === "CONFLICT") {
    return { ...state, step, refused: { username: state.values.username, suggestions } };
  }
  const message =
    failure.code === "CONFLICT"
      ? "There is an account with this address already. Use another one."
      : failure.message;
  return { ...state, step, errors: { ...state.errors, [field]: message } };
}

function failureText({ code, details, requestId }: ApiFailure): string {
  const wait = details.retryAfterMs ? `in ${Math.ceil(details.retryAfterMs / 1_000)} s` : "in a moment";
  switch (code) {
    case undefined:
      return "We couldn't be reached, so no account was made as far as we know. Your answers are still here: try again.";
    case "TOO_MANY_REQUESTS":
      return `Too many sign-ups came from your network. Your answers are still here: try again ${wait}.`;
    case "SERVICE_UNAVAILABLE":
      return `We are very busy, and no account was made. Your answers are still here: try again ${wait}.`;
    default:
      return `Something broke on our side. Try again ${wait}${requestId ? `, or quote ${requestId} when you ask for help` : ""}.`;
  }
}
