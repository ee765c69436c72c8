import { ANSWER_MS } from "../session/answer-ms";
import { nextPath } from "../session/next-path";
import type { SignInFailure } from "./sign-in";

/** What the provider is called; null while there is none. Read by hand: this page loads no client. */
export async function readProvider(signal: AbortSignal): Promise<string | null> {
  const response = await fetch("/api/trpc/session.signInMethods", { signal });
  if (!response.ok) return null;
  const body = (await response.json()) as { result: { data: { singleSignOn: string | null } } };
  return body.result.data.singleSignOn;
}

/** Resolves to the provider's own page, which sends the person back to where they wanted to go. */
export async function startSingleSignOn(search: string): Promise<string | null> {
  const response = await fetch("/api/auth/sign-in/social", {
    method: "POST",
    signal: AbortSignal.timeout(ANSWER_MS),
    headers: { "content-type": "application/json" },
    body: JSON.stringify({
      provider: "oidc",
      callbackURL: nextPath(new URLSearchParams(search).get("next")),
      errorCallbackURL: "/console/sign-in",
    }),
  });
  if (!response.ok) return null;
  return ((await response.json()) as { url?: string }).url ?? null;
}

/** What the provider's answer meant, when it sends somebody back without a session. */
export function explainReturn(search: string): SignInFailure | undefined {
  const error = new URLSearchParams(search).get("error");
  switch (error) {
    case null:
      return undefined;
    case "signup_disabled":
      return {
        title: "No such account.",
        text: "Nobody here has that e-mail address. Ask an admin for one.",
      };
    case "account_not_linked":
      return {
        title: "Not signed in.",
        text: "The account with that e-mail address has not confirmed it. Sign in with its password.",
      };
    default:
      return { title: "Not signed in.", text: "The provider did not confirm who you are. Try once more." };
  }
}
