import { readVersion, type StoredVersion, setProgress } from "../../filter/versions";
import type { Pool } from "../../store/postgres";

const EVERY_MS = 500;

/**
 * Goes along with one piece of work on a version: stores what it says about itself, and aborts it
 * when somebody cancels the version, or one of `signals` aborts.
 */
export class Follow {
  readonly signal: AbortSignal;
  private readonly cancelled = new AbortController();
  private said: object | null = null;
  private readonly timer: NodeJS.Timeout;
  private looking: Promise<void> = Promise.resolve();

  constructor(
    private readonly pool: Pool,
    private readonly version: StoredVersion,
    signals: readonly AbortSignal[],
  ) {
    this.signal = AbortSignal.any([...signals, this.cancelled.signal]);
    this.timer = setInterval(() => {
      this.looking = this.looking.then(() => this.look()).catch(() => {});
    }, EVERY_MS);
  }

  /** What the work is at; stored twice a second at most. */
  say(progress: object): void {
    this.said = { ...this.said, ...progress };
  }

  /** Stores the last words. */
  async end(): Promise<void> {
    clearInterval(this.timer);
    await this.looking;
    await this.store();
  }

  private async look(): Promise<void> {
    const now = await readVersion(this.pool, this.version.version);
    const isCancelled = now?.state === "discarding" && this.version.state !== "discarding";
    if (isCancelled) this.cancelled.abort(new Error("cancelled"));
    await this.store();
  }

  private async store(): Promise<void> {
    const said = this.said;
    this.said = null;
    if (said) await setProgress(this.pool, this.version.version, said);
  }
}
