export type Toast = { kind: "success" | "warning" | "error"; text: string; detail?: string };

let pending: Toast[] = [];
let last = "";
let count = 0;
const listeners = new Set<() => void>();

function add(next: Toast): void {
  pending.push(next);
  last = next.detail ? `${next.text}. ${next.detail}` : next.text;
  count += 1;
  for (const listener of listeners) listener();
}

/** Shows a short message in a corner. The library is loaded with the first message. */
export const toast = {
  success: (text: string) => add({ kind: "success", text }),
  warning: (text: string) => add({ kind: "warning", text }),
  error: (text: string, detail?: string) => add({ kind: "error", text, detail }),
};

/** Removes and returns the pending toasts. */
export function takeToasts(): Toast[] {
  const taken = pending;
  pending = [];
  return taken;
}

/** The text of the newest toast, for useSyncExternalStore. */
export const lastToast = (): string => last;

/** The number of toasts so far, for useSyncExternalStore. */
export const countToasts = (): number => count;

export function watchToasts(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}
