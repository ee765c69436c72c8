/** localStorage key of the choice. Without one the console is dark: it is read in dark rooms. */
export const consoleThemeKey = "console-theme";

export const THEMES = ["dark", "light", "system"] as const;
export type ConsoleTheme = (typeof THEMES)[number];

/** Runs in <head>, before the first paint: a stored choice must never flash the other theme. */
export const consoleThemeScript = `try{var t=localStorage.getItem("${consoleThemeKey}");if(t==="light"||t==="system")document.documentElement.dataset.theme=t}catch(e){}`;

export const readTheme = (): ConsoleTheme =>
  THEMES.find(theme => theme === document.documentElement.dataset.theme) ?? "dark";

export function chooseTheme(theme: ConsoleTheme): void {
  document.documentElement.dataset.theme = theme;
  try {
    localStorage.setItem(consoleThemeKey, theme);
  } catch {
    // Storage may be forbidden: the choice then lasts as long as the page.
  }
}
