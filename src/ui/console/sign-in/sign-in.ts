import { ANSWER_MS } from "../session/answer-ms";

export type SignInFailure = { title: string; text: string };

const failure = (title: string, text: string): SignInFailure => ({ title, text });

/** Resolves to what went wrong, or to undefined once the session's cookie is set. */
export async function signIn(name: string, password: string): Promise<SignInFailure | undefined> {
  const way = name.includes("@") ? "email" : "username";
  const response = await fetch(`/api/auth/sign-in/${way}`, {
    method: "POST",
    signal: AbortSignal.timeout(ANSWER_MS),
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ [way]: name, password }),
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
      return failure("Not signed in.", "The name and the password do not belong together.");
    case 403:
      return failure("Not let in.", message || "This account is disabled. Ask an admin.");
    case 429:
      return failure("Too many tries.", `Wait ${waitOf(response)} before the next one.`);
    default:
      return failure(
        "The server is in trouble.",
        "Try again in a moment; your password was not the problem.",
      );
  }
}

function waitOf(response: Response): string {
  const seconds = Number(response.headers.get("retry-after") ?? response.headers.get("x-retry-after"));
  return seconds > 0 ? `${seconds} s` : "a minute";
}
