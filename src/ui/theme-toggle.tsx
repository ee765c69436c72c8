"use client";

import { themeKey } from "./theme-script";

/** Choosing the theme of the system deletes the stored choice, so the page follows the system again. */
function toggleTheme() {
  const root = document.documentElement;
  const system = matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light";
  const next = (root.dataset.theme ?? system) === "dark" ? "light" : "dark";
  if (next === system) delete root.dataset.theme;
  else root.dataset.theme = next;
  try {
    if (next === system) localStorage.removeItem(themeKey);
    else localStorage.setItem(themeKey, next);
  } catch {
    // The browser may forbid storage. The choice then lasts until the page is left.
  }
}

/** The HTML has both icons and the stylesheet shows one, because the server does not know the theme. */
export function ThemeToggle() {
  return (
    <button
      type="button"
      className="icon-button"
      aria-label="Switch between light and dark"
      onClick={toggleTheme}
    >
      <svg className="icon theme-icon-light" viewBox="0 0 20 20" aria-hidden="true">
        <circle cx="10" cy="10" r="3.5" />
        <path d="M10 2v1.5M10 16.5V18M2 10h1.5M16.5 10H18M4.4 4.4l1 1M14.6 14.6l1 1M4.4 15.6l1-1M14.6 5.4l1-1" />
      </svg>
      <svg className="icon theme-icon-dark" viewBox="0 0 20 20" aria-hidden="true">
        <path d="M16.5 12.2A7 7 0 0 1 7.8 3.5a7 7 0 1 0 8.7 8.7Z" />
      </svg>
    </button>
  );
}
