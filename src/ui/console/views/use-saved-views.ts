import { useCallback, useMemo, useSyncExternalStore } from "react";
import { useSession } from "../session/session";
import { readViews, type SavedView } from "./saved-views";

const listeners = new Set<() => void>();

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  // Other tabs of this browser.
  addEventListener("storage", listener);
  return () => {
    listeners.delete(listener);
    removeEventListener("storage", listener);
  };
}

function readText(key: string): string | null {
  try {
    return localStorage.getItem(key);
  } catch {
    // Storage may be forbidden: then there are none.
    return null;
  }
}

/** The views of one page that whoever is signed in has saved in this browser. */
export function useSavedViews(page: string) {
  const { user } = useSession();
  const key = `console-views:${page}:${user.username}`;
  const text = useSyncExternalStore(
    subscribe,
    () => readText(key),
    () => null,
  );
  const views = useMemo(() => readViews(text), [text]);
  /** False where the browser keeps nothing. */
  const save = useCallback(
    (next: readonly SavedView[]): boolean => {
      try {
        localStorage.setItem(key, JSON.stringify(next));
      } catch {
        return false;
      }
      for (const listener of listeners) listener();
      return true;
    },
    [key],
  );
  return { views, save };
}
