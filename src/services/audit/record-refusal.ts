import type { PrismaClient } from "../../store/postgres";
import { type AuditContext, type AuditNote, writeAudit } from "./write-audit";

/** The shortest time between two rows of the same actor, action and address. */
const SAME_EVERY_MS = 1_000;
/** Limits of all rows, as a burst and per second: a flood from many addresses must not fill the disk. */
const BURST_ROWS = 5_000;
const ROWS_PER_SECOND = 20;
/** The most attempts kept in memory; the oldest are dropped. */
const REMEMBERED = 5_000;

type Seen = { writtenAt: number; unwritten: number };

/** Writes audit rows of refused and failed attempts at a limited rate; the next row counts the ones left out. */
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

  /** Never rejects: the refusal does not depend on its audit row. */
  async record(audit: AuditContext, note: AuditNote): Promise<void> {
    const unwritten = this.admit(
      `${audit.actor.kind}:${audit.actor.id ?? ""}:${audit.action}:${audit.address ?? ""}`,
    );
    if (unwritten === null) return;
    const after = unwritten > 0 ? { ...(note.after as object), alsoTried: unwritten } : note.after;
    await writeAudit(this.prisma, audit, { ...note, after }).catch(this.onError);
  }

  /** The number of attempts left out since the last row, or null when this one is left out too. */
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
