import type { PrismaClient } from "../../store/postgres";

export type Attempt = { target: string | null; reason: string | null };

type Lookup = (prisma: PrismaClient, id: string) => Promise<string | undefined>;

/** The name behind an id, as the audit row of the change has it. */
const NAMES: Record<string, Lookup> = {
  user: async (prisma, id) =>
    (await prisma.user.findUnique({ where: { id }, select: { username: true } }))?.username,
  reserved: async (prisma, id) =>
    (await prisma.reservedWord.findUnique({ where: { id }, select: { pattern: true } }))?.pattern,
  token: async (prisma, id) =>
    (await prisma.serviceToken.findUnique({ where: { id }, select: { name: true } }))?.name,
};

/**
 * Target and reason of a failed change, as the audit row of the change would have them. Never rejects:
 * without the database the id is used as the name.
 * @param path of the procedure, such as "user.setRole"
 * @param input as it was sent; it has passed the procedure's schema
 */
export async function describeAttempt(prisma: PrismaClient, path: string, input: unknown): Promise<Attempt> {
  if (typeof input !== "object" || input === null) return { target: null, reason: null };
  const { id, seqs, reason, ...rest } = input as Record<string, unknown>;
  const entity = path.split(".", 1)[0]!;
  const typedReason = typeof reason === "string" ? reason.trim() : null;
  const about = (name: unknown) => ({ target: `${entity}:${name}`, reason: typedReason });
  if (typeof id === "string") return about((await NAMES[entity]?.(prisma, id).catch(() => undefined)) ?? id);
  if (Array.isArray(seqs)) return about(`${seqs.length} events`);
  const name =
    rest.pattern ?? rest.name ?? rest.action ?? rest.symbol ?? rest.version ?? rest.run ?? rest.shardId;
  return name === undefined ? { target: null, reason: typedReason } : about(name);
}
