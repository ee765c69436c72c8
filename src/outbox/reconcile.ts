import type { Pool } from "../store/postgres";
import { replayProcessed } from "./backlog";
import type { Deliver } from "./relay";

export type ReconcilerOptions = {
  pool: Pool;
  deliver: Deliver;
  /** Identity of each Redis master's memory. */
  identities: () => Promise<string[]>;
  /** How long processed rows are kept; all of them are replayed for a new master. */
  keptMs: number;
  /** Window of the regular replay. */
  recentMs: number;
  onReplayed: (count: number, reason: string) => void;
  now?: () => number;
};

/**
 * A failover, or a restart from an older dump, loses adds that Redis had acknowledged, without an error.
 * Therefore the reconciler replays
 *   all kept rows       when a master's identity is new,
 *   the recent window   on request, and regularly for losses that can't be detected.
 */
export class Reconciler {
  private requested = false;
  private nextRegularAt: number;
  /** Identities whose replay is stored. */
  private seen: string | null = null;

  constructor(private readonly options: ReconcilerOptions) {
    this.nextRegularAt = this.now() + options.recentMs / 2;
  }

  /** Requests a replay of the recent window. */
  request(): void {
    this.requested = true;
  }

  async reconcile(signal: AbortSignal): Promise<void> {
    const { pool, deliver, keptMs, recentMs, onReplayed } = this.options;
    const unseen = await this.unseenIdentities();
    if (unseen.length > 0) {
      const count = await replayProcessed(pool, { windowMs: keptMs, deliver, signal });
      // Stored after the replay: after a crash the replay runs again.
      await pool.query(
        "INSERT INTO filter_nodes (identity) SELECT unnest($1::text[]) ON CONFLICT DO NOTHING",
        [unseen],
      );
      onReplayed(count, "a Redis master restarted or took over");
    } else if (this.requested || this.now() >= this.nextRegularAt) {
      const wasRequested = this.requested;
      this.requested = false;
      const count = await replayProcessed(pool, { windowMs: recentMs, deliver, signal }).catch(error => {
        this.requested ||= wasRequested;
        throw error;
      });
      this.nextRegularAt = this.now() + recentMs / 2;
      if (count > 0) onReplayed(count, wasRequested ? "a write met a read-only node" : "regular");
    }
  }

  private async unseenIdentities(): Promise<string[]> {
    const identities = await this.options.identities();
    if (identities.join() === this.seen) return [];
    const { rows } = await this.options.pool.query<{ identity: string }>(
      "SELECT identity FROM filter_nodes WHERE identity = ANY($1)",
      [identities],
    );
    const seen = new Set(rows.map(row => row.identity));
    const unseen = identities.filter(identity => !seen.has(identity));
    this.seen = unseen.length === 0 ? identities.join() : null;
    return unseen;
  }

  private now(): number {
    return this.options.now?.() ?? Date.now();
  }
}
