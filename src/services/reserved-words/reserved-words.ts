import {
  compileReserved,
  DEFAULT_RESERVED_WORDS,
  type ReservedWord,
} from "../../domain/username/reserved-words";
import type { PrismaClient } from "../../store/postgres";

export type ReservedMatcher = ReturnType<typeof compileReserved>;

/** The reserved words of the database, cached in memory; the defaults until the first read. */
export class ReservedWords {
  private compiled: ReservedMatcher = compileReserved(DEFAULT_RESERVED_WORDS);
  private fingerprint = "";

  constructor(private readonly prisma: PrismaClient) {}

  get matcher(): ReservedMatcher {
    return this.compiled;
  }

  /** Rejects when the database does not answer; the last words stay. */
  async refresh(): Promise<void> {
    const rows = await this.prisma.reservedWord.findMany({ orderBy: [{ kind: "asc" }, { pattern: "asc" }] });
    // An empty table must not allow names such as `admin`.
    if (rows.length === 0) return;
    const fingerprint = JSON.stringify(rows.map(row => [row.kind, row.pattern, row.reason]));
    if (fingerprint === this.fingerprint) return;
    this.compiled = compileReserved(rows as ReservedWord[]);
    this.fingerprint = fingerprint;
  }
}

/** Fills an empty table with the default words. */
export async function seedReservedWords(prisma: PrismaClient): Promise<number> {
  if ((await prisma.reservedWord.count()) > 0) return 0;
  const data = DEFAULT_RESERVED_WORDS.map(word => ({ ...word, createdBy: "floodgate" }));
  return (await prisma.reservedWord.createMany({ data, skipDuplicates: true })).count;
}
