/** A name for what the address of a page asks for, such as "state=hot&sort=rate". */
export type SavedView = { name: string; query: string };

/** More would not fit beside a table's filters. */
export const MAX_VIEWS = 8;
export const MAX_NAME = 24;

/** What is in storage may be old, or somebody else's. */
export function readViews(text: string | null): SavedView[] {
  try {
    const list = JSON.parse(text ?? "[]") as unknown;
    if (!Array.isArray(list)) return [];
    return list.filter(isView).slice(0, MAX_VIEWS);
  } catch {
    return [];
  }
}

/** With this view in place of one of the same name; the newest is last. */
export function withView(views: readonly SavedView[], view: SavedView): SavedView[] {
  return [...views.filter(({ name }) => name !== view.name), view];
}

/** Why it can't be saved under that name, in words. */
export function nameProblem(views: readonly SavedView[], name: string): string | undefined {
  const wanted = name.trim();
  if (wanted === "") return "Type a name first.";
  if (wanted.length > MAX_NAME) return `Use at most ${MAX_NAME} characters.`;
  const isNew = views.every(view => view.name !== wanted);
  return isNew && views.length >= MAX_VIEWS ? `There are ${MAX_VIEWS} views: remove one first.` : undefined;
}

/** Parts of an address in a fixed order, without those that are empty: equal views have equal texts. */
export function queryOf(parts: Record<string, string | null | undefined>): string {
  const query = new URLSearchParams();
  for (const [key, value] of Object.entries(parts)) if (value) query.set(key, value);
  return query.toString();
}

function isView(value: unknown): value is SavedView {
  if (typeof value !== "object" || value === null) return false;
  const { name, query } = value as Record<string, unknown>;
  return typeof name === "string" && name !== "" && name.length <= MAX_NAME && typeof query === "string";
}
