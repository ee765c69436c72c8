import type { z } from "zod";

/**
 * Parses the environment once. Empty strings count as absent. Throws one error that lists every
 * problem as `NAME: what is wrong. What to set` (the schema's `.describe()` text), never a value.
 */
export function readEnv<Shape extends z.ZodRawShape>(
  schema: z.ZodObject<Shape>,
  env: Readonly<Record<string, string | undefined>>,
): z.output<z.ZodObject<Shape>> {
  const present = Object.fromEntries(
    Object.entries(env).filter(([, value]) => value !== undefined && value.trim() !== ""),
  );
  const parsed = schema.safeParse(present);
  if (parsed.success) return parsed.data;

  const lines = parsed.error.issues.map(issue => {
    const name = String(issue.path[0] ?? "(several variables)");
    const value = present[name];
    const problem = value === undefined && issue.path.length > 0 ? "is missing" : hide(issue.message, value);
    const advice = adviceFor(schema.shape[name] as z.ZodType | undefined);
    return `  ${name}: ${problem}.${advice === undefined ? "" : ` Set it to ${advice}.`}`;
  });
  throw new Error(`The environment is not usable:\n${lines.join("\n")}`);
}

/** A custom rule may quote its input; a value here may be a password. */
function hide(message: string, value: string | undefined): string {
  return value === undefined ? message : message.replaceAll(value, "[hidden]");
}

/** Wrappers such as `.optional()` and `.default()` drop the description, so look inside them. */
function adviceFor(type: z.ZodType | undefined): string | undefined {
  if (type === undefined || type.description !== undefined) return type?.description;
  const { innerType, in: input } = type.def as { innerType?: z.ZodType; in?: z.ZodType };
  return adviceFor(innerType ?? input);
}
