import type { ChildProcess } from "node:child_process";
import { z } from "zod";

/** A part of the product as its supervisor sees it. */
const processState = z.object({
  name: z.string().max(40),
  /** Why it is down; null while it runs. Free of paths, addresses and values. */
  downReason: z.string().max(1_000).nullable(),
  /** When that began, milliseconds since 1970. */
  sinceMs: z.number(),
});
export type ProcessState = z.output<typeof processState>;

/** The supervisor's message to the server. */
export const processReport = z.object({ processes: z.array(processState).max(50) });
/** As a part of a sentence. */
function asClause(text: string): string {
  return text.slice(0, 500).replace(/\.$/, "");
}

/** The last message of a process that ends because a person has to change something. */
export const endReport = z.object({ endReason: z.string().transform(asClause) });

/** The states of all parts, told to the server whenever one changes. */
export class ProcessStates {
  private readonly states = new Map<string, ProcessState>();
  private reader: ChildProcess | undefined;

  set(name: string, downReason: string | null): void {
    this.states.set(name, { name, downReason, sinceMs: Date.now() });
    this.report();
  }

  /** From now on this process is told; the one before it has ended. */
  reportTo(reader: ChildProcess): void {
    this.reader = reader;
    this.report();
  }

  get down(): ProcessState[] {
    return [...this.states.values()].filter(({ downReason }) => downReason !== null);
  }

  isDown(name: string): boolean {
    return this.down.some(state => state.name === name);
  }

  private report(): void {
    // It may end at any moment; the next one is told everything again.
    if (this.reader?.connected) this.reader.send({ processes: [...this.states.values()] }, () => {});
  }
}
