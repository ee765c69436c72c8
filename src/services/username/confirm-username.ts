import { type BulkheadPolicy, bulkhead, type IPolicy, TimeoutStrategy, timeout, wrap } from "cockatiel";
import type { PrismaClient } from "../../store/postgres";

/** Bounds towards Postgres: past them a question is shed as "busy", never answered wrongly. */
export type ConfirmBounds = { concurrency: number; queue: number; deadlineMs: number };

/** What the database says: the key itself is there, or only a name that looks like it. */
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

  /** Null means that the database could not be asked in time. */
  async confirm(name: { key: string; skeleton: string }): Promise<Confirmation | null> {
    try {
      return await this.policy.execute(async ({ signal }) => {
        // A question that waited past its deadline has nobody left to answer.
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
