import { readFileSync } from "node:fs";
import { join } from "node:path";

const FILE = join(import.meta.dirname, "../../compose.yaml");
const indentOf = (line: string) => line.search(/\S/);

/** The services of compose.yaml: each one's own text, followed by the blocks that it refers to with `*name`. */
export function readComposeServices(file = FILE): Map<string, string> {
  const lines = readFileSync(file, "utf8")
    .split("\n")
    .filter(line => line.trim() !== "" && !line.trim().startsWith("#"));
  const services = blockAt(lines, lines.indexOf("services:"));
  const starts = services.flatMap((line, at) => (indentOf(line) === 2 ? [at] : []));
  return new Map(
    starts.map(at => [services[at]!.trim().replace(":", ""), withAliases(blockAt(services, at), lines)]),
  );
}

/** The lines below this one that are indented further. */
function blockAt(lines: readonly string[], at: number): string[] {
  const indent = indentOf(lines[at]!);
  const after = lines.slice(at + 1);
  const end = after.findIndex(line => indentOf(line) <= indent);
  return end === -1 ? after : after.slice(0, end);
}

function withAliases(block: readonly string[], lines: readonly string[]): string {
  const names = block.flatMap(line => /: \*(\w+)$/.exec(line)?.slice(1) ?? []);
  const aliased = names.flatMap(name =>
    blockAt(
      lines,
      lines.findIndex(line => line.endsWith(`&${name}`)),
    ),
  );
  return block.concat(aliased).join("\n");
}
