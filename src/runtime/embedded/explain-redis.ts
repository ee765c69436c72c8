import { join } from "node:path";
import type { DownReason } from "../supervise/keep-running";

/** What Redis and Valkey print before they end on files that they can't load. */
const UNREADABLE =
  /RDB format version|Bad file format|Unrecoverable error|Internal error in RDB|Short read or OOM|AOF MANIFEST|Unable to obtain the AOF|Wrong signature|RDB CRC error|Unexpected end of file reading/i;

/**
 * Why the embedded Redis ended. Its files are never touched: what is in them may be the only copy of
 * orders on their way.
 */
export function explainRedis(how: string, { endOfLog, dir }: { endOfLog: string; dir: string }): DownReason {
  if (!UNREADABLE.test(endOfLog)) return { reason: `it ended with ${how}` };
  const files = join(dir, "appendonlydir");
  return {
    reason: "its data files are damaged, or a newer version wrote them",
    advice: [
      "Nothing was deleted. Checks and signups go on from Postgres; orders wait.",
      `  1. Copy ${dir} to a safe place.`,
      `  2. Repair the files: redis-check-aof --fix ${join(files, "appendonly.aof.manifest")}`,
      "     If a newer version wrote them, install that version instead.",
      `  3. If that does not help, move ${files} away: Redis starts empty, the filter is built`,
      "     again from Postgres, and orders that were not matched yet are lost.",
      "  Redis is tried again on its own, at the latest after a minute",
    ].join("\n"),
  };
}
