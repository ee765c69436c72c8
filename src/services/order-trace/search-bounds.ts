/** One trace looks so long at most in each part; what was not looked at is said. */
const SEARCH_MS = 2_000;

/** The bound of one search. */
export class SearchBounds {
  private readonly endMs = performance.now() + SEARCH_MS;

  constructor(private left: number) {}

  /** Takes `count` entries off; whether the search may go on. */
  take(count: number): boolean {
    this.left -= count;
    return this.left > 0 && performance.now() < this.endMs;
  }
}
