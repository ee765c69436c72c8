import { appendFileSync, renameSync } from "node:fs";
import { createInterface } from "node:readline";
import type { Readable } from "node:stream";

/** A log file that has grown to this is kept as `.1`, and a new one begins. */
const MAX_FILE_BYTES = 20 * 1024 * 1024;
const SHOWN_LEVELS = new Set(["warn", "error", "fatal"]);
/** Fields that every line has, or that the readable line shows in its own place. */
const HIDDEN_FIELDS = new Set(["level", "time", "pid", "hostname", "name", "msg", "err"]);

type Output = { stdout: Readable | null; stderr: Readable | null };

/**
 * Writes what a child prints to its log file. Log lines at warning and above, and everything on stderr,
 * also go to `show` as one readable line.
 */
export function followOutput(child: Output, file: LogFile, show: (line: string) => void): void {
  if (child.stdout)
    createInterface({ input: child.stdout }).on("line", line => {
      file.append(line);
      const readable = readableLine(line);
      if (readable !== null) show(readable);
    });
  if (child.stderr)
    createInterface({ input: child.stderr }).on("line", line => {
      file.append(line);
      show(line);
    });
}

/** A JSON log line at warning or above as a person reads it; null for every other line. */
export function readableLine(line: string): string | null {
  const entry = parse(line);
  if (entry === null || !SHOWN_LEVELS.has(String(entry.level))) return null;
  const time = String(entry.time ?? "").slice(11, 19);
  const cause = (entry.err as { message?: unknown } | undefined)?.message;
  const fields = Object.entries(entry)
    .filter(([name]) => !HIDDEN_FIELDS.has(name))
    .map(([name, value]) => `${name}=${typeof value === "string" ? value : JSON.stringify(value)}`);
  const text = cause === undefined ? String(entry.msg) : `${entry.msg}: ${cause}`;
  return [time, entry.level, entry.name, text, ...fields].join(" ");
}

function parse(line: string): Record<string, unknown> | null {
  if (!line.startsWith("{")) return null;
  try {
    return JSON.parse(line) as Record<string, unknown>;
  } catch {
    return null;
  }
}

/** A file of lines with a bound: at most the current one and the one before it. */
export class LogFile {
  private sizeBytes = 0;

  /** @param path a file that does not exist yet, or may be appended to */
  constructor(
    readonly path: string,
    private readonly maxBytes = MAX_FILE_BYTES,
  ) {}

  /** A full disk must not stop the processes: a line that can't be written is dropped. */
  append(line: string): void {
    const text = `${line}\n`;
    try {
      if (this.sizeBytes + Buffer.byteLength(text) > this.maxBytes) {
        renameSync(this.path, `${this.path}.1`);
        this.sizeBytes = 0;
      }
      appendFileSync(this.path, text, { mode: 0o600 });
      this.sizeBytes += Buffer.byteLength(text);
    } catch {
      this.sizeBytes = 0;
    }
  }
}
