import type { z } from "zod";
import type { endReport } from "../runtime/supervise/process-states";

/**
 * Tells the supervisor, if there is one, why this process ends; resolves when it is told.
 * @param reason for every reader of the health: without paths, addresses and values
 */
export function tellEndReason(reason: string): Promise<void> {
  const report: z.input<typeof endReport> = { endReason: reason.replaceAll(/\s*\n\s*/g, " ").trim() };
  return new Promise(resolve => {
    if (process.send && process.connected) process.send(report, () => resolve());
    else resolve();
  });
}
