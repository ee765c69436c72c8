const QUIET_MS = 60_000;
const MAX_KNOWN = 1_000;

/**
 * Tells lines that say something new from those that an outage repeats: the same but for numbers, with
 * less than a minute between two of them.
 */
export class RepeatFilter {
  private readonly lastMs = new Map<string, number>();

  isNew(line: string, nowMs = performance.now()): boolean {
    const key = line.replaceAll(/\d+(\.\d+)?/g, "#");
    const lastMs = this.lastMs.get(key);
    if (this.lastMs.size >= MAX_KNOWN) this.lastMs.clear();
    this.lastMs.set(key, nowMs);
    return lastMs === undefined || nowMs - lastMs > QUIET_MS;
  }
}
