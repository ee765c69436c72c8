import type { PrismaClient } from "../../store/postgres";
import { type AuditContext, type AuditNote, writeAudit } from "./write-audit";

/** The same try by the same actor from the same address is written so often at most. */
const SAME_EVERY_MS = 1_000;
/** Rows over all tries, at once and then per second: a flood from many addresses must not fill the disk. */
const BURST_ROWS = 5_000;
const ROWS_PER_SECOND = 20;
/** Tries that are remembered at a time; past it the oldest are forgotten. */
const REMEMBERED = 5_000;

type Seen = { writtenAt: number; unwritten: number };

/** Writes refused and failed tries, thinned out: what was left out is counted in the next row. */
export class RefusalLog {
  private readonly seen = new Map<string, Seen>();
  private rowsLeft = BURST_ROWS;
  private refilledAt: number;
  private dropped = 0;

  constructor(
    private readonly prisma: PrismaClient,
    private readonly onError: (error: unknown) => void,
    private readonly now: () => number = Date.now,
  ) {
    this.refilledAt = now();
  }

  /** Never rejects: a refusal stands, whether it could be written or not. */
  async record(audit: AuditContext, note: AuditNote): Promise<void> {
    const unwritten = this.admit(
      `${audit.actor.kind}:${audit.actor.id ?? ""}:${audit.action}:${audit.address ?? ""}`,
    );
    if (unwritten === null) return;
    const after = unwritten > 0 ? { ...(note.after as object), alsoTried: unwritten } : note.after;
    await writeAudit(this.prisma, audit, { ...note, after }).catch(this.onError);
  }

  /** How many tries were left out since the last row, or null when this one is left out as well. */
  private admit(key: string): number | null {
    const now = this.now();
    const last = this.seen.get(key);
    if (last && now - last.writtenAt < SAME_EVERY_MS) {
      last.unwritten += 1;
      return null;
    }
    const refill = ((now - this.refilledAt) / 1_000) * ROWS_PER_SECOND;
    this.rowsLeft = Math.min(BURST_ROWS, this.rowsLeft + refill);
    this.refilledAt = now;
    if (this.rowsLeft < 1) {
      this.dropped += 1;
      return null;
    }
    this.rowsLeft -= 1;
    const unwritten = (last?.unwritten ?? 0) + this.dropped;
    this.dropped = 0;
    this.seen.delete(key);
    this.seen.set(key, { writtenAt: now, unwritten: 0 });
    if (this.seen.size > REMEMBERED) this.seen.delete(this.seen.keys().next().value!);
    return unwritten;
  }
}
