export type Toast = { kind: "success" | "warning" | "error"; text: string; detail?: string };

let waiting: Toast[] = [];
let last = "";
let count = 0;
const listeners = new Set<() => void>();

function say(said: Toast): void {
  waiting.push(said);
  last = said.detail ? `${said.text}. ${said.detail}` : said.text;
  count += 1;
  for (const listener of listeners) listener();
}

/** Says in a corner what has just happened. What shows it is loaded with the first word. */
export const toast = {
  success: (text: string) => say({ kind: "success", text }),
  warning: (text: string) => say({ kind: "warning", text }),
  error: (text: string, detail?: string) => say({ kind: "error", text, detail }),
};

/** For what shows them. */
export function takeToasts(): Toast[] {
  const taken = waiting;
  waiting = [];
  return taken;
}

/** The newest one's words, for useSyncExternalStore. */
export const lastToast = (): string => last;

/** How many there have been, for useSyncExternalStore. */
export const countToasts = (): number => count;

export function watchToasts(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}
