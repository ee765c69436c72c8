"use client";

import { useLayoutEffect } from "react";

/**
 * Where Next.js answers with an empty shell (a page that does not exist), React makes the whole document
 * in the browser and scripts in <head> never run: the stored choice is then applied here.
 */
export function KeepTheme({ storageKey, themes }: { storageKey: string; themes: readonly string[] }) {
  useLayoutEffect(() => {
    try {
      const theme = localStorage.getItem(storageKey);
      if (theme && themes.includes(theme)) document.documentElement.dataset.theme = theme;
    } catch {
      // Storage may be forbidden: then nothing was stored.
    }
  }, [storageKey, themes]);
  return null;
}
