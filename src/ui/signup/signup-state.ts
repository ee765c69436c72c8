import type { ApiFailure } from "../api-failure";
import type { KeptAnswers } from "./kept-answers";

export const fields = ["username", "email", "password"] as const;
export type Field = (typeof fields)[number];

export type SignupState = {
  /** Index into `fields` of the current question. */
  step: number;
  values: Record<Field, string>;
  errors: Partial<Record<Field, string>>;
  /** The name that was taken at sign-up, and free ones. */
  refused?: { username: string; suggestions: string[] };
  /** The user pressed Enter while the name was being checked. */
  isWaiting: boolean;
  isSending: boolean;
  /** No answer came yet: the account may exist. The form asks again. */
  isUnknown: boolean;
  /** Why the sign-up failed, when no field is the cause. */
  failure?: string;
  /** The account exists, but the browser has no session. */
  isCreated: boolean;
  /** A newer page has replaced the one on which the first answers were given. */
  isUpdated: boolean;
};

export type SignupEvent =
  | { type: "typed"; field: Field; value: string }
  | { type: "refused"; field: Field; message: string }
  | { type: "moved"; by: 1 | -1 }
  | { type: "restored"; answers: KeptAnswers }
  | { type: "waiting" | "stayed" | "sent" | "unknown" | "created" }
  | { type: "failed"; failure: ApiFailure; text: string };

export const emptySignup: SignupState = {
  step: 0,
  values: { username: "", email: "", password: "" },
  errors: {},
  isWaiting: false,
  isSending: false,
  isUnknown: false,
  isCreated: false,
  isUpdated: false,
};

export function signupReducer(state: SignupState, event: SignupEvent): SignupState {
  switch (event.type) {
    case "typed":
      return {
        ...state,
        values: { ...state.values, [event.field]: event.value },
        errors: { ...state.errors, [event.field]: undefined },
        isWaiting: false,
        failure: undefined,
      };
    case "refused":
      return { ...state, errors: { ...state.errors, [event.field]: event.message }, isWaiting: false };
    case "moved":
      return {
        ...state,
        step: state.step + event.by,
        isWaiting: false,
        failure: undefined,
        isUpdated: false,
      };
    case "restored": {
      const { username, email, step } = event.answers;
      return { ...state, values: { username, email, password: "" }, step, isUpdated: true };
    }
    case "waiting":
      return { ...state, isWaiting: true };
    case "stayed":
      return { ...state, isWaiting: false };
    case "sent":
      return { ...state, isSending: true, failure: undefined };
    case "unknown":
      return { ...state, isUnknown: true };
    case "created":
      return { ...state, isSending: false, isUnknown: false, isCreated: true };
    case "failed":
      return afterFailure({ ...state, isSending: false, isUnknown: false }, event.failure, event.text);
  }
}

/** An error of a field returns to its question. Any other error is told in `text` at the current one. */
function afterFailure(state: SignupState, failure: ApiFailure, text: string): SignupState {
  const { field, suggestions = [] } = failure.details;
  const step = field ? fields.indexOf(field) : -1;
  if (!field || step < 0) return { ...state, failure: text };
  if (field === "username" && failure.code === "CONFLICT") {
    return { ...state, step, refused: { username: state.values.username, suggestions } };
  }
  const message =
    failure.code === "CONFLICT"
      ? "An account with this address exists already. Use another address."
      : failure.message;
  return { ...state, step, errors: { ...state.errors, [field]: message } };
}
