import { toApiFailure } from "../../api-failure";
import { isOutcomeUnknown } from "../intent-link";

export type Explained = { title: string; text: string; requestId?: string; canRetry: boolean };

const NO_ANSWER = "No answer from the server";

/** What happened and what to do. `change`: the call was a mutation. */
export function explainFailure(error: unknown, change = false): Explained {
  const { code, message, requestId } = toApiFailure(error);
  const explained = (title: string, text: string, canRetry = true) => ({ title, text, requestId, canRetry });
  if (change && isOutcomeUnknown(error))
    return explained(
      NO_ANSWER,
      "It is unknown whether the change was made. Press the button again to find out: it is never made twice.",
    );
  switch (code) {
    case undefined:
      return explained(NO_ANSWER, "Check the connection. The page retries automatically.");
    case "UNAUTHORIZED":
      return explained("Your session has ended", "Sign in again in another tab, then try again here.");
    case "FORBIDDEN":
      return explained("This is not allowed", message || "An admin can give you another role.", false);
    case "CONFLICT":
      return explained(
        "Another user changed this first",
        `${message} Close this dialog and check the new state.`,
        false,
      );
    case "NOT_FOUND":
      return explained("Not found", message || "Another user may have removed it.", false);
    case "BAD_REQUEST":
      return explained("The server refused the input", message, false);
    case "TOO_MANY_REQUESTS":
    case "SERVICE_UNAVAILABLE":
      return explained("The server is busy", message || "Try again in a moment.");
    default:
      return explained("Internal error", "The log has the cause under the reference.");
  }
}
