import { z } from "zod";
import { MAX_RAW_PASSWORD_UNITS } from "../domain/access/password";

const name = z.string().max(512);
const password = z.string().max(MAX_RAW_PASSWORD_UNITS);
const page = z.string().max(2_000).optional();

/** What each route of sign-in takes, and nothing else: a field that nobody expects could mean something to a library. */
const BODIES: Record<string, z.ZodType<object>> = {
  "POST /sign-in/username": z.strictObject({ username: name, password }),
  "POST /sign-in/email": z.strictObject({ email: name, password }),
  "POST /sign-in/social": z.strictObject({
    provider: z.literal("oidc"),
    callbackURL: page,
    errorCallbackURL: page,
  }),
  "POST /sign-out": z.strictObject({}),
};

/**
 * The body as JSON text of the fields that the route takes.
 * @returns null for a route that takes no body; an error in words for a body that it does not take
 */
export function readAuthBody(route: string, body: Buffer): { text: string | null } | { error: string } {
  const schema = BODIES[route];
  if (!schema) return { text: null };
  const parsed = schema.safeParse(parseJson(body));
  if (parsed.success) return { text: JSON.stringify(parsed.data) };
  const [issue] = parsed.error.issues;
  const where = issue!.path.length > 0 ? `${issue!.path.join(".")}: ` : "";
  return { error: `The body is not what this route takes. ${where}${issue!.message}.` };
}

/** An empty body is an empty object; text that is no JSON is undefined, which no schema takes. */
function parseJson(body: Buffer): unknown {
  if (body.length === 0) return {};
  try {
    return JSON.parse(body.toString("utf8"));
  } catch {
    return undefined;
  }
}
