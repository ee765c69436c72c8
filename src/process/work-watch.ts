/** A worker that has found no work for so long is not just starting or changing hands. */
const GRACE_MS = 5_000;

type Work = {
  /** Partitions that this process has leased. */
  partitions: number;
  /** Partitions without an owner, when the last look found this process without any; null: not known. */
  unowned: number | null;
};

/**
 * Tells a worker that works from one that only runs. Durations are measured on the process's own clock.
 */
export class WorkWatch {
  private renewedAtMs: number | null = null;
  private workedAtMs: number;
  private work: Work = { partitions: 0, unowned: null };

  constructor(
    private readonly ttlMs: number,
    private readonly now: () => number = () => performance.now(),
  ) {
    this.workedAtMs = now();
  }

  /** After each renewal of the leases, which Redis has answered. */
  renewed(work: Work): void {
    this.renewedAtMs = this.now();
    // What was not there before could not be worked on.
    if (this.work.partitions === 0) this.workedAtMs = this.renewedAtMs;
    this.work = work;
  }

  /** After each step that came to its end. */
  worked(): void {
    this.workedAtMs = this.now();
  }

  /** What is wrong, in words; null while the process has its work and does it, or is a spare copy. */
  get problem(): string | null {
    const { partitions, unowned } = this.work;
    if (this.renewedAtMs === null) return "No partition is leased yet.";
    const silentMs = this.now() - this.renewedAtMs;
    if (silentMs > Math.max(GRACE_MS, 2 * this.ttlMs))
      return `Its leases could not be renewed for ${Math.round(silentMs / 1_000)} s: it has no work.`;
    if (partitions > 0) {
      const idleMs = this.now() - this.workedAtMs;
      if (idleMs <= GRACE_MS) return null;
      return `It has ${partitions} partitions, and has not worked on them for ${Math.round(idleMs / 1_000)} s.`;
    }
    if (unowned === null) return "It has no partition, and it is unknown whether others have them all.";
    return unowned > 0 ? `It has no partition, although ${unowned} have no owner.` : null;
  }
}
