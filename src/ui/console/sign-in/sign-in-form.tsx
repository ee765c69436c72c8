"use client";

import { Eye, EyeOff } from "lucide-react";
import { type FormEvent, type Ref, useEffect, useId, useRef, useState } from "react";
import { Mark } from "../../mark";
import { StateBadge } from "../parts/state-badge";
import { nextPath } from "../session/next-path";
import { type SignInFailure, signIn } from "./sign-in";
import { explainReturn } from "./single-sign-on";
import { SingleSignOnButton } from "./single-sign-on-button";

export function SignInForm() {
  const id = useId();
  const name = useRef<HTMLInputElement>(null);
  const password = useRef<HTMLInputElement>(null);
  const [state, setState] = useState<"idle" | "busy" | SignInFailure>("idle");
  const failure = typeof state === "object" ? state : undefined;

  useEffect(() => {
    const returned = explainReturn(location.search);
    if (returned) setState(returned);
  }, []);

  async function submit(event: FormEvent) {
    event.preventDefault();
    if (state === "busy") return;
    const [username, secret] = [name.current?.value.trim() ?? "", password.current?.value ?? ""];
    if (username === "" || secret === "") {
      setState({ title: "Incomplete input.", text: "Type your username and your password." });
      (username === "" ? name : password).current?.focus();
      return;
    }
    setState("busy");
    const failed = await signIn(username, secret);
    if (!failed) {
      // A full load, so that nothing of an earlier session stays in memory.
      location.assign(nextPath(new URLSearchParams(location.search).get("next")));
      return;
    }
    setState(failed);
    password.current?.select();
    password.current?.focus();
  }

  return (
    <main className="grid min-h-svh place-items-center px-4 py-10">
      <div className="w-full max-w-88">
        <p className="mb-6 flex items-center gap-2 font-semibold">
          <Mark size={20} /> Floodgate
        </p>
        <h1 className="mb-5 text-xl font-semibold tracking-tight">Sign in to the console</h1>
        <form className="grid gap-4.5" onSubmit={submit} noValidate>
          <div>
            <label className="label" htmlFor={`${id}-name`}>
              Username or e-mail
            </label>
            <input
              ref={name}
              id={`${id}-name`}
              className="input min-h-10!"
              name="username"
              autoComplete="username"
              autoCapitalize="none"
              spellCheck={false}
              maxLength={320}
              aria-describedby={`${id}-status`}
              // biome-ignore lint/a11y/noAutofocus: the page has only this form.
              autoFocus
            />
          </div>
          <PasswordField inputRef={password} statusId={`${id}-status`} />
          <button type="submit" className="btn btn-primary min-h-10!" aria-busy={state === "busy"}>
            {state === "busy" ? "Signing in…" : "Sign in"}
          </button>
          <FailureText id={`${id}-status`} failure={failure} />
        </form>
        <SingleSignOnButton onFailure={setState} />
        <noscript>
          <p className="mt-6 text-soft">
            The console needs JavaScript. Switch it on for this page, then load it again.
          </p>
        </noscript>
      </div>
    </main>
  );
}

type PasswordFieldProps = { inputRef: Ref<HTMLInputElement>; statusId: string };

function PasswordField({ inputRef, statusId }: PasswordFieldProps) {
  const id = useId();
  const [isShown, setIsShown] = useState(false);
  const Icon = isShown ? EyeOff : Eye;
  return (
    <div>
      <label className="label" htmlFor={id}>
        Password
      </label>
      <span className="relative block">
        <input
          ref={inputRef}
          id={id}
          className="input min-h-10! pr-11!"
          name="password"
          type={isShown ? "text" : "password"}
          autoComplete="current-password"
          maxLength={1024}
          aria-describedby={statusId}
        />
        <button
          type="button"
          className="absolute top-1 right-1 grid size-8 place-items-center rounded text-soft hover:text-ink"
          aria-label="Show the password"
          aria-pressed={isShown}
          onClick={() => setIsShown(!isShown)}
        >
          <Icon size={16} aria-hidden="true" />
        </button>
      </span>
    </div>
  );
}

function FailureText({ id, failure }: { id: string; failure?: SignInFailure }) {
  return (
    <div id={id} role="alert" className="min-h-10">
      {failure && (
        <>
          <StateBadge state="critical" word={failure.title} />{" "}
          <span className="text-soft">{failure.text}</span>
        </>
      )}
    </div>
  );
}
