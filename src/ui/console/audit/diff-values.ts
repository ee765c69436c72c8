export type Change = { path: string; before: string | undefined; after: string | undefined };

const isBranch = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && Object.keys(value).length > 0;

function leavesOf(value: unknown, path: string, leaves: Map<string, string>): Map<string, string> {
  if (isBranch(value)) {
    for (const [key, each] of Object.entries(value)) leavesOf(each, path ? `${path}.${key}` : key, leaves);
  } else if (value !== undefined && !(path === "" && value === null)) {
    leaves.set(path || "value", typeof value === "string" ? value : JSON.stringify(value));
  }
  return leaves;
}

/** The changed and the unchanged leaves. A side without such a leaf is undefined. */
export function diffValues(before: unknown, after: unknown): { changed: Change[]; same: Change[] } {
  const [was, is] = [leavesOf(before, "", new Map()), leavesOf(after, "", new Map())];
  const all = [...new Set([...was.keys(), ...is.keys()])].map(path => ({
    path,
    before: was.get(path),
    after: is.get(path),
  }));
  return {
    changed: all.filter(each => each.before !== each.after),
    same: all.filter(each => each.before === each.after),
  };
}
