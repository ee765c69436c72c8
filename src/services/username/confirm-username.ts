import { type BulkheadPolicy, bulkhead, type IPolicy, TimeoutStrategy, timeout, wrap } from "cockatiel";
import type { PrismaClient } from "../../store/postgres";

/** Bounds of the queries to Postgres: beyond them a check is answered "busy", never wrongly. */
export type ConfirmBounds = { concurrency: number; queue: number; deadlineMs: number };

/** The database's answer: the key is taken, or only a name that looks like it. */
export type Confirmation = "free" | "taken" | "lookalike";

/** Asks the database, with bounded concurrency, a bounded queue and one deadline over both. */
export class UsernameConfirmer {
  private readonly policy: IPolicy;
  private readonly slots: BulkheadPolicy;

  constructor(
    private readonly prisma: PrismaClient,
    bounds: ConfirmBounds,
  ) {
    this.slots = bulkhead(bounds.concurrency, bounds.queue);
    this.policy = wrap(timeout(bounds.deadlineMs, TimeoutStrategy.Aggressive), this.slots);
  }

  /** Null means that the database did not answer in time. */
  async confirm(name: { key: string; skeleton: string }): Promise<Confirmation | null> {
    try {
      return await this.policy.execute(async ({ signal }) => {
        // The caller of a query past its deadline no longer waits.
        signal.throwIfAborted();
        const rows = await this.prisma.user.findMany({
          where: { OR: [{ usernameKey: name.key }, { usernameSkeleton: name.skeleton }] },
          select: { usernameKey: true },
          take: 2,
        });
        if (rows.some(row => row.usernameKey === name.key)) return "taken";
        return rows.length > 0 ? "lookalike" : "free";
      });
    } catch {
      return null;
    }
  }
}
