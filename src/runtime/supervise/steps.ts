/** The terminal during a start: one line a step, with the time it took. */
export class Steps {
  private isLineOpen = false;

  constructor(private readonly write: (text: string) => void) {}

  /** Shows the step, runs it, and shows how long it took. */
  async run<T>(title: string, work: () => T | Promise<T>): Promise<T> {
    const startMs = performance.now();
    this.write(`  ${title} … `);
    this.isLineOpen = true;
    try {
      const result = await work();
      this.write(`${this.isLineOpen ? "" : `  ${title}: `}${seconds(performance.now() - startMs)}\n`);
      return result;
    } catch (error) {
      if (this.isLineOpen) this.write("failed\n");
      throw error;
    } finally {
      this.isLineOpen = false;
    }
  }

  /** Prints a separate line, also during a step. */
  say(line: string): void {
    this.write(`${this.isLineOpen ? "\n" : ""}${line}\n`);
    this.isLineOpen = false;
  }
}

const seconds = (ms: number) => `${(ms / 1_000).toFixed(1)} s`;
