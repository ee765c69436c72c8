import { toApiFailure } from "../../api-failure";

export type Explained = { title: string; text: string; requestId?: string; canRetry: boolean };

/** What happened, what it means, what to do. `change` is whether something was to be written. */
export function explainFailure(error: unknown, change = false): Explained {
  const { code, message, requestId } = toApiFailure(error);
  const said = (title: string, text: string, canRetry = true) => ({ title, text, requestId, canRetry });
  switch (code) {
    case undefined:
      return change
        ? said(
            "No answer from the server",
            "Whether the change was made is unknown. The page looks again; the audit log shows it if it was.",
          )
        : said("No answer from the server", "Check the connection. The page asks again by itself.");
    case "UNAUTHORIZED":
      return said("Your session has ended", "Sign in again in another tab, then repeat this here.");
    case "FORBIDDEN":
      return said("This is not allowed", message || "An admin can give you another role.", false);
    case "CONFLICT":
      return said("Somebody changed this first", `${message} Close this and look at the new state.`, false);
    case "NOT_FOUND":
      return said("It is gone", message || "Somebody may have removed it meanwhile.", false);
    case "BAD_REQUEST":
      return said("The server refused the input", message, false);
    case "TOO_MANY_REQUESTS":
    case "SERVICE_UNAVAILABLE":
      return said("The server is busy", message || "Try again in a moment.");
    default:
      return said("It failed on our side", "Nothing was changed. The log has the cause under the reference.");
  }
}
