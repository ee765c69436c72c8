import { readVersion, type StoredVersion, setProgress } from "../../filter/versions";
import type { Pool } from "../../store/postgres";

const INTERVAL_MS = 500;

/**
 * The progress of one task on a version, stored twice a second. `signal` aborts when an operator
 * cancels the version or when one of `signals` aborts.
 */
export class RebuildProgress {
  readonly signal: AbortSignal;
  private readonly cancelled = new AbortController();
  private unsaved: object | null = null;
  private readonly timer: NodeJS.Timeout;
  private polling: Promise<void> = Promise.resolve();

  constructor(
    private readonly pool: Pool,
    private readonly version: StoredVersion,
    signals: readonly AbortSignal[],
  ) {
    this.signal = AbortSignal.any([...signals, this.cancelled.signal]);
    this.timer = setInterval(() => {
      this.polling = this.polling.then(() => this.poll()).catch(() => {});
    }, INTERVAL_MS);
  }

  update(progress: object): void {
    this.unsaved = { ...this.unsaved, ...progress };
  }

  /** Stores the last update. */
  async close(): Promise<void> {
    clearInterval(this.timer);
    await this.polling;
    await this.save();
  }

  private async poll(): Promise<void> {
    const now = await readVersion(this.pool, this.version.version);
    const isCancelled = now?.state === "discarding" && this.version.state !== "discarding";
    if (isCancelled) this.cancelled.abort(new Error("cancelled"));
    await this.save();
  }

  private async save(): Promise<void> {
    const { unsaved } = this;
    this.unsaved = null;
    if (unsaved) await setProgress(this.pool, this.version.version, unsaved);
  }
}
