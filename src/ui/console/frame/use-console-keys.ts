import { useRouter } from "next/navigation";
import { useEffect } from "react";
import { NAV_ITEMS } from "./nav-items";

const isTyping = (target: EventTarget | null) =>
  target instanceof HTMLElement && target.closest("input, textarea, select, [contenteditable]") !== null;

const SEQUENCE_MS = 1_200;
/** Not zero: that would count as a "g" on a page that has just been opened. */
const NEVER = Number.NEGATIVE_INFINITY;

/** The console's keyboard shortcuts. Only Ctrl-K works while the user types or a dialog is open. */
export function useConsoleKeys({
  onPalette,
  onShortcuts,
}: {
  onPalette: () => void;
  onShortcuts: () => void;
}): void {
  const router = useRouter();
  useEffect(() => {
    let goAt = NEVER;
    function onKey(event: KeyboardEvent) {
      if (event.key.toLowerCase() === "k" && (event.ctrlKey || event.metaKey) && !event.altKey) {
        event.preventDefault();
        onPalette();
        return;
      }
      if (event.ctrlKey || event.metaKey || event.altKey || isTyping(event.target)) return;
      if (document.querySelector("dialog[open]")) return;
      const target = event.timeStamp - goAt < SEQUENCE_MS && NAV_ITEMS.find(({ key }) => key === event.key);
      goAt = NEVER;
      if (target) router.push(target.href);
      else if (event.key === "g") goAt = event.timeStamp;
      else if (event.key === "?") onShortcuts();
      else if (event.key === "/") {
        const search = document.querySelector<HTMLElement>("[data-search]");
        if (!search) return;
        event.preventDefault();
        search.focus();
      }
    }
    document.addEventListener("keydown", onKey);
    return () => document.removeEventListener("keydown", onKey);
  }, [router, onPalette, onShortcuts]);
}
