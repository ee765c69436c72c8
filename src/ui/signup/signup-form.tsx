"use client";

import { type FormEvent, type Ref, useEffect, useRef, useState } from "react";
import { Notice } from "../notice";
import { StatusMessage } from "../status-message";
import { Note } from "./note";
import { PasswordQuestion } from "./password-question";
import { Question } from "./question";
import { type Field, fields } from "./signup-state";
import { useSignup } from "./use-signup";
import { UsernameQuestion } from "./username-question";

type Signup = ReturnType<typeof useSignup>;

const VERBS: Record<Field, string> = {
  username: "Use this name",
  email: "Use this address",
  password: "Create account",
};

export function SignupForm() {
  const signup = useSignup();
  const { field, step, values, isSending } = signup;
  const inputs = useRef<Partial<Record<Field, HTMLInputElement | null>>>({});
  const inputRef = (of: Field) => (input: HTMLInputElement | null) => {
    inputs.current[of] = input;
  };
  const [isReady, setIsReady] = useState(false);

  // A new question takes the focus, and so does one that was refused. The first one takes no focus away.
  // biome-ignore lint/correctness/useExhaustiveDependencies: typing must not move the focus
  useEffect(() => {
    if (isSending) return;
    const input = inputs.current[field];
    if (!isReady && input?.value) signup.setValue(field, input.value);
    setIsReady(true);
    if (isReady || document.activeElement === document.body) input?.focus();
  }, [field, isSending]);

  function submit(event: FormEvent) {
    event.preventDefault();
    if (!signup.next()) inputs.current[field]?.focus();
  }

  if (signup.isCreated) return <Created username={values.username} />;
  return (
    <form
      className="needs-script flex grow flex-col"
      data-level={step + 1}
      method="post"
      noValidate
      onSubmit={submit}
    >
      <p className="progress" id="progress">
        <span>
          {step + 1} of {fields.length}
        </span>
        {step > 0 && <span className="min-w-0 truncate text-ink">{values.username}</span>}
      </p>
      {signup.isUpdated && (
        <Note
          word="Page updated."
          text="There was a newer one. Your answers are kept, but for the password."
        />
      )}
      <UsernameQuestion
        signup={signup}
        inputRef={inputRef("username")}
        onSuggestion={name => {
          signup.setValue("username", name);
          inputs.current.username?.focus();
        }}
      />
      <EmailQuestion signup={signup} inputRef={inputRef("email")} />
      <PasswordQuestion signup={signup} inputRef={inputRef("password")} />
      <Buttons signup={signup} isReady={isReady} />
    </form>
  );
}

/** The account exists, but the browser has no session. */
function Created({ username }: { username: string }) {
  return (
    <div className="flex grow" data-level="open">
      <Notice
        state="Account created"
        title={`${username} is yours`}
        text="Your account was created, but this browser could not be signed in. Sign in later with your name and password."
      />
    </div>
  );
}

function EmailQuestion({ signup, inputRef }: { signup: Signup; inputRef: Ref<HTMLInputElement> }) {
  const { field, values, errors } = signup;
  return (
    <Question
      field="email"
      isAsked={field === "email"}
      title="Where can we reach you?"
      description="Your e-mail address. One account for each address."
      isInvalid={Boolean(errors.email)}
      input={{
        ref: inputRef,
        value: values.email,
        onValue: value => signup.setValue("email", value),
        type: "email",
        autoComplete: "email",
      }}
    >
      <p className="input-status" role="alert">
        {errors.email && <StatusMessage tone="critical" word="Not yet." text={errors.email} />}
      </p>
    </Question>
  );
}

/** `isReady`: after hydration. Before it Enter would post the form to this page. */
function Buttons({ signup, isReady }: { signup: Signup; isReady: boolean }) {
  const { field, step, isSending, isUnknown, isWaiting } = signup;
  const sending = isUnknown ? "Finding out…" : "Creating account…";
  return (
    <div className="mt-auto flex items-center justify-between gap-3 pt-6">
      <button type="button" className="button button-quiet -ml-3.5" hidden={step === 0} onClick={signup.back}>
        <svg className="icon" viewBox="0 0 20 20" aria-hidden="true">
          <path d="M16 10H4.5M9 5l-5 5 5 5" />
        </svg>
        Back
      </button>
      <button
        type={isReady ? "submit" : "button"}
        className="button button-primary button-enter ml-auto"
        disabled={isSending}
      >
        {isSending ? sending : isWaiting ? "Checking the name…" : VERBS[field]}
      </button>
    </div>
  );
}
