"use client";

import { Notice } from "../notice";
import { StatusMessage } from "../status-message";
import { AccountFacts } from "./account-facts";
import { useSession } from "./use-session";

export function Welcome() {
  const { session, reload, signOut } = useSession();

  if (session.kind === "stranger") {
    return (
      <Notice
        state="Not signed in"
        title={session.hasLeft ? "You are signed out" : "We don't know you yet"}
        text={
          session.hasLeft
            ? "Your account stays as it is. This browser has forgotten it."
            : "Nobody is signed in on this browser. Three questions, and you are in."
        }
      >
        <a className="button button-primary" href="/">
          {session.hasLeft ? "Go to the first page" : "Sign up"}
        </a>
      </Notice>
    );
  }

  if (session.kind === "unreachable") {
    return (
      <Notice
        state="No answer"
        title="We can't be reached"
        text="So we can't say who is signed in here. Your account is not affected. Check the connection, then ask again."
      >
        <button type="button" className="button button-primary" onClick={reload}>
          Ask again
        </button>
      </Notice>
    );
  }

  const person = session.kind === "person" ? session.person : undefined;
  return (
    <div className="flex grow flex-col" data-level={person ? "open" : "3"} aria-busy={!person}>
      <p className="progress justify-start! gap-2!" aria-live="polite">
        {person ? (
          <StatusMessage tone="ok" word="Signed in." text="The gate is open." />
        ) : (
          <StatusMessage tone="soft" text="Asking the server…" />
        )}
      </p>
      <h1 className="question-title [overflow-wrap:anywhere]">
        Welcome, {person ? <bdi>{person.username}</bdi> : <span className="skeleton">a username</span>}
      </h1>
      <AccountFacts person={person} />
      <div className="mt-auto flex flex-wrap items-center gap-x-4 gap-y-2 pt-8">
        <button
          type="button"
          className="button button-outline"
          disabled={session.kind !== "person" || session.isLeaving}
          onClick={() => person && void signOut(person)}
        >
          Sign out
        </button>
        <p className="text-sm text-critical" role="alert">
          {session.kind === "person" && session.failedToLeave && "We couldn't sign you out. Try again."}
        </p>
      </div>
    </div>
  );
}
