"use client";

import { Notice } from "../notice";
import { StatusMessage } from "../status-message";
import { AccountFacts } from "./account-facts";
import { useSession } from "./use-session";

export function Welcome() {
  const { session, reload, signOut } = useSession();

  if (session.kind === "signed-out") {
    return (
      <Notice
        state="Not signed in"
        title={session.hasJustSignedOut ? "You are signed out" : "You are not signed in"}
        text={
          session.hasJustSignedOut
            ? "Your account has not changed. This browser is signed out."
            : "No user is signed in on this browser. Signing up takes three questions."
        }
      >
        <a className="button button-primary" href="/">
          {session.hasJustSignedOut ? "Go to sign up" : "Sign up"}
        </a>
      </Notice>
    );
  }

  if (session.kind === "unreachable") {
    return (
      <Notice
        state="No answer"
        title="The server can't be reached"
        text="Your session is unknown. Your account is not affected. Check the connection, then try again."
      >
        <button type="button" className="button button-primary" onClick={reload}>
          Try again
        </button>
      </Notice>
    );
  }

  const user = session.kind === "signed-in" ? session.user : undefined;
  return (
    <div className="flex grow flex-col" data-level={user ? "open" : "3"} aria-busy={!user}>
      <p className="progress justify-start! gap-2!" aria-live="polite">
        {user ? (
          <StatusMessage tone="ok" word="Signed in." text="The gate is open." />
        ) : (
          <StatusMessage tone="soft" text="Loading your account…" />
        )}
      </p>
      <h1 className="question-title [overflow-wrap:anywhere]">
        Welcome, {user ? <bdi>{user.username}</bdi> : <span className="skeleton">a username</span>}
      </h1>
      <AccountFacts user={user} />
      <div className="mt-auto flex flex-wrap items-center gap-x-4 gap-y-2 pt-8">
        <button
          type="button"
          className="button button-outline"
          disabled={session.kind !== "signed-in" || session.isSigningOut}
          onClick={() => user && void signOut(user)}
        >
          Sign out
        </button>
        <p className="text-sm text-critical" role="alert">
          {session.kind === "signed-in" && session.signOutFailed && "Signing out failed. Try again."}
        </p>
      </div>
    </div>
  );
}
