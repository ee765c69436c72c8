/** localStorage key of the chosen theme. The default is dark. */
export const consoleThemeKey = "console-theme";

export const THEMES = ["dark", "light", "system"] as const;
export type ConsoleTheme = (typeof THEMES)[number];

/** Runs in <head>, before the first paint: a stored choice must not flash the other theme. */
export const consoleThemeScript = `try{var t=localStorage.getItem("${consoleThemeKey}");if(t==="light"||t==="system")document.documentElement.dataset.theme=t}catch(e){}`;

export const readTheme = (): ConsoleTheme =>
  THEMES.find(theme => theme === document.documentElement.dataset.theme) ?? "dark";

export function chooseTheme(theme: ConsoleTheme): void {
  document.documentElement.dataset.theme = theme;
  try {
    localStorage.setItem(consoleThemeKey, theme);
  } catch {
    // The browser may forbid storage. The choice then lasts until the page is left.
  }
}
