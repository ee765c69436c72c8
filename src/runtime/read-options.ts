import { parseArgs } from "node:util";
import { z } from "zod";

/** The command line can't be read; the message names the wrong argument. */
export class UsageError extends Error {}

/**
 * Reads a command line of `--name value` options, by one schema with a field per option, and positional
 * arguments. A boolean field is a flag without a value. A field's message is shown after the option and
 * its value: "--rate fast" + "is not a whole number from 1 to 10."
 * @throws UsageError
 */
export function readOptions<Shape extends z.ZodRawShape>(
  args: string[],
  schema: z.ZodObject<Shape>,
  maxPositionals = 0,
): { options: z.output<z.ZodObject<Shape>>; positionals: string[] } {
  const { values, positionals } = parse(args, schema.shape);
  if (positionals.length > maxPositionals) {
    throw new UsageError(`Unexpected argument: ${positionals.slice(maxPositionals).join(" ")}`);
  }
  const read = schema.safeParse(values);
  if (read.success) return { options: read.data, positionals };
  const { path, message } = read.error.issues[0]!;
  const name = String(path[0]);
  throw new UsageError(`--${name} ${values[name] ?? ""} ${message}`.replace("  ", " "));
}

function parse(args: string[], shape: z.ZodRawShape) {
  const options = Object.fromEntries(
    Object.entries(shape).map(([name, type]) => {
      const isFlag = (type as z.ZodType).safeParse(true).success;
      return [name, { type: isFlag ? ("boolean" as const) : ("string" as const) }];
    }),
  );
  try {
    return parseArgs({ args, allowPositionals: true, options });
  } catch (error) {
    throw new UsageError((error as Error).message);
  }
}

export const flag = z.boolean().default(false);

export function numberOption(min: number, max: number) {
  return toNumber(`is not a number from ${min} to ${max}.`, value => value >= min && value <= max);
}

/** Underscores may group the digits: 20_000. */
export function wholeNumberOption(min: number, max = Number.MAX_SAFE_INTEGER) {
  const range = max === Number.MAX_SAFE_INTEGER ? `of ${min} or more` : `from ${min} to ${max}`;
  return toNumber(
    `is not a whole number ${range}.`,
    value => Number.isInteger(value) && value >= min && value <= max,
  );
}

function toNumber(error: string, isValid: (value: number) => boolean) {
  const parseNumber = (text: string) => (text.trim() === "" ? Number.NaN : Number(text.replaceAll("_", "")));
  return z
    .string()
    .refine(text => isValid(parseNumber(text)), error)
    .transform(parseNumber);
}
