import { readdirSync, readFileSync } from "node:fs";

/** What a process and its descendants have used until now. */
export type TreeUsage = {
  /** CPU seconds by the name of a child of the root, with its descendants; the root's own under "supervisor". */
  cpuSeconds: Map<string, number>;
  /** Memory in megabytes; a page that several processes share counts once. */
  residentMb: number;
};

/** Ticks of a second in /proc: Linux gives the same unit to all programs. */
const TICKS_PER_SECOND = 100;

type Process = { pid: number; parent: number; cpuSeconds: number };

/** @throws Error where there is no /proc, that is anywhere but on Linux */
export function readTreeUsage(root: number, nameOf: (pid: number) => string): TreeUsage {
  const all = readdirSync("/proc")
    .filter(name => /^\d+$/.test(name))
    .flatMap(name => readProcess(Number(name)) ?? []);
  const usage: TreeUsage = { cpuSeconds: new Map(), residentMb: 0 };
  const visit = ({ pid, cpuSeconds }: Process, name: string) => {
    usage.cpuSeconds.set(name, (usage.cpuSeconds.get(name) ?? 0) + cpuSeconds);
    usage.residentMb += readResidentMb(pid);
    for (const child of all.filter(({ parent }) => parent === pid))
      visit(child, pid === root ? nameOf(child.pid) : name);
  };
  visit(all.find(({ pid }) => pid === root)!, "supervisor");
  return usage;
}

/** Also counts what children used that have ended; null for a process that ends while it is read. */
function readProcess(pid: number): Process | null {
  const text = readOrNull(`/proc/${pid}/stat`);
  if (text === null) return null;
  // The command is in parentheses and may hold spaces.
  const fields = text.slice(text.lastIndexOf(")") + 2).split(" ");
  const ticks = fields.slice(11, 15).reduce((sum, field) => sum + Number(field), 0);
  return { pid, parent: Number(fields[1]), cpuSeconds: ticks / TICKS_PER_SECOND };
}

function readResidentMb(pid: number): number {
  const kilobytes = /^Pss:\s+(\d+) kB/m.exec(readOrNull(`/proc/${pid}/smaps_rollup`) ?? "")?.[1];
  return Number(kilobytes ?? 0) / 1_024;
}

function readOrNull(file: string): string | null {
  try {
    return readFileSync(file, "utf8");
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === "ENOENT" || code === "ESRCH") return null;
    throw error;
  }
}
