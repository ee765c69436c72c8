import { useRouter } from "next/navigation";
import { useEffect } from "react";
import { NAV_ITEMS } from "./nav-items";

const isTyping = (target: EventTarget | null) =>
  target instanceof HTMLElement && target.closest("input, textarea, select, [contenteditable]") !== null;

const SEQUENCE_MS = 1_200;
/** Not zero: a page that was opened a moment ago has seen no "g" either. */
const NEVER = Number.NEGATIVE_INFINITY;

/** The console's own keys. None acts while something is being typed or a dialog is open, save Ctrl-K. */
export function useConsoleKeys({ onPalette, onSheet }: { onPalette: () => void; onSheet: () => void }): void {
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
      else if (event.key === "?") onSheet();
      else if (event.key === "/") {
        const search = document.querySelector<HTMLElement>("[data-search]");
        if (!search) return;
        event.preventDefault();
        search.focus();
      }
    }
    document.addEventListener("keydown", onKey);
    return () => document.removeEventListener("keydown", onKey);
  }, [router, onPalette, onSheet]);
}
