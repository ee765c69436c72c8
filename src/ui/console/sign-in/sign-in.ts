import { AUTH_TIMEOUT_MS } from "../session/auth-timeout-ms";

export type SignInFailure = { title: string; text: string };

const failure = (title: string, text: string): SignInFailure => ({ title, text });

/** Resolves to the failure, or to undefined once the session cookie is set. */
export async function signIn(name: string, password: string): Promise<SignInFailure | undefined> {
  const method = name.includes("@") ? "email" : "username";
  const response = await fetch(`/api/auth/sign-in/${method}`, {
    method: "POST",
    signal: AbortSignal.timeout(AUTH_TIMEOUT_MS),
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ [method]: name, password }),
  }).catch(() => undefined);
  if (!response) return failure("No answer from the server.", "Check the connection, then try again.");
  if (response.ok) return undefined;
  const { message } = await response
    .json()
    .then(body => body as { message?: string })
    .catch(() => ({ message: undefined }));
  switch (response.status) {
    case 400:
    case 401:
    case 422:
      return failure("Not signed in.", "Incorrect username or password.");
    case 403:
      return failure("Access denied.", message || "This account is disabled. Ask an admin.");
    case 429:
      return failure("Too many attempts.", `Wait ${waitOf(response)} before the next one.`);
    default:
      return failure("The server failed.", "Try again in a moment. Your password was not refused.");
  }
}

function waitOf(response: Response): string {
  const seconds = Number(response.headers.get("retry-after") ?? response.headers.get("x-retry-after"));
  return seconds > 0 ? `${seconds} s` : "a minute";
}
