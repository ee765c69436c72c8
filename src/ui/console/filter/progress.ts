import { z } from "zod";

/** What the worker says about its work. It may know each of these or not, and say more than these. */
const schema = z
  .object({
    phase: z.string(),
    rows: z.number(),
    /** Of the users table, when the work began. */
    estimatedRows: z.number(),
    bytes: z.number(),
    shardsLoaded: z.number(),
    namesInserted: z.number(),
    checked: z.number(),
    throttle: z.string().nullable(),
    attempts: z.number(),
    lastError: z.string(),
    /** When it last said something; ISO 8601. */
    at: z.string(),
    builtAt: z.string(),
  })
  .partial();

export type Progress = z.output<typeof schema>;

export function readProgress(progress: Record<string, unknown>): Progress {
  // One field of an unexpected kind must not hide the others.
  const known = Object.entries(schema.shape).filter(([key, kind]) => kind.safeParse(progress[key]).success);
  return Object.fromEntries(known.map(([key]) => [key, progress[key]]));
}
