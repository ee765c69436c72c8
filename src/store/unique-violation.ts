import { sqlStateOf } from "./database-error";

/** Through driver adapters Prisma names the columns or the index, depending on the error of Postgres. */
type AdapterCause = { constraint?: { fields?: string[]; index?: string } };

/**
 * What a UNIQUE violation is about: the constraint's or the columns' names, "" if the error does not
 * say, null for any other error. Understands pg's own errors, and Prisma's of models and of SQL over a driver adapter.
 */
export function violatedConstraint(error: unknown): string | null {
  if (!(error instanceof Error)) return null;
  const { code, constraint, meta } = error as Error & { code?: string; constraint?: string; meta?: unknown };
  if (code !== "P2002" && sqlStateOf(error) !== "23505") return null;
  const { driverAdapterError, target } = (meta ?? {}) as {
    driverAdapterError?: { cause?: AdapterCause };
    target?: string[] | string;
  };
  const named = driverAdapterError?.cause?.constraint;
  const names = [constraint, named?.index, ...(named?.fields ?? []), ...[target ?? []].flat()];
  return names.filter(Boolean).join(" ");
}
