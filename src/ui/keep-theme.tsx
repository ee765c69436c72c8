"use client";

import { useLayoutEffect } from "react";

/**
 * Applies the stored theme where scripts in <head> do not run: for a missing page Next.js answers with
 * an empty shell, and React renders the document in the browser.
 */
export function KeepTheme({ storageKey, themes }: { storageKey: string; themes: readonly string[] }) {
  useLayoutEffect(() => {
    try {
      const theme = localStorage.getItem(storageKey);
      if (theme && themes.includes(theme)) document.documentElement.dataset.theme = theme;
    } catch {
      // The browser may forbid storage. Then no theme is stored.
    }
  }, [storageKey, themes]);
  return null;
}
