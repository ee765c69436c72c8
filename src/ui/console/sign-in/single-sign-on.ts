import { AUTH_TIMEOUT_MS } from "../session/auth-timeout-ms";
import { nextPath } from "../session/next-path";
import type { SignInFailure } from "./sign-in";

/** The name of the provider; null without one. Uses fetch, because this page loads no API client. */
export async function readProvider(signal: AbortSignal): Promise<string | null> {
  const response = await fetch("/api/trpc/session.signInMethods", { signal });
  if (!response.ok) return null;
  const body = (await response.json()) as { result: { data: { singleSignOn: string | null } } };
  return body.result.data.singleSignOn;
}

/** Resolves to the page of the provider, which sends the user back to the wanted page. */
export async function startSingleSignOn(search: string): Promise<string | null> {
  const response = await fetch("/api/auth/sign-in/social", {
    method: "POST",
    signal: AbortSignal.timeout(AUTH_TIMEOUT_MS),
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

/** The failure in the address when the provider sends the user back without a session. */
export function explainReturn(search: string): SignInFailure | undefined {
  const error = new URLSearchParams(search).get("error");
  switch (error) {
    case null:
      return undefined;
    case "signup_disabled":
      return {
        title: "No such account.",
        text: "No user has this e-mail address. Ask an admin for an account.",
      };
    case "account_not_linked":
      return {
        title: "Not signed in.",
        text: "The account has not confirmed this e-mail address. Sign in with its password.",
      };
    default:
      return { title: "Not signed in.", text: "The provider did not confirm your identity. Try again." };
  }
}
