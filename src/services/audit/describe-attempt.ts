import type { PrismaClient } from "../../store/postgres";

export type Attempt = { target: string | null; reason: string | null };

type Lookup = (prisma: PrismaClient, id: string) => Promise<string | undefined>;

/** What an id stands for, where the change itself would name it in words. */
const NAMES: Record<string, Lookup> = {
  user: async (prisma, id) =>
    (await prisma.user.findUnique({ where: { id }, select: { username: true } }))?.username,
  reserved: async (prisma, id) =>
    (await prisma.reservedWord.findUnique({ where: { id }, select: { pattern: true } }))?.pattern,
  token: async (prisma, id) =>
    (await prisma.serviceToken.findUnique({ where: { id }, select: { name: true } }))?.name,
};

/**
 * What a failed change was about, as its own audit row would have said it: the target and the reason
 * that was typed. Never rejects: without the database the id itself is the name.
 * @param path of the procedure, such as "user.setRole"
 * @param input as it was sent; it has passed the procedure's schema
 */
export async function describeAttempt(prisma: PrismaClient, path: string, input: unknown): Promise<Attempt> {
  if (typeof input !== "object" || input === null) return { target: null, reason: null };
  const { id, seqs, reason, ...rest } = input as Record<string, unknown>;
  const entity = path.split(".", 1)[0]!;
  const said = typeof reason === "string" ? reason.trim() : null;
  const about = (name: unknown) => ({ target: `${entity}:${name}`, reason: said });
  if (typeof id === "string") return about((await NAMES[entity]?.(prisma, id).catch(() => undefined)) ?? id);
  if (Array.isArray(seqs)) return about(`${seqs.length} events`);
  const name = rest.pattern ?? rest.name ?? rest.action ?? rest.symbol ?? rest.version ?? rest.run;
  return name === undefined ? { target: null, reason: said } : about(name);
}
