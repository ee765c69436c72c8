/** localStorage key of the chosen theme. Without one the page follows the system. */
export const themeKey = "theme";

export const THEMES = ["light", "dark"] as const;

/** Runs in <head>, before the first paint: a stored choice must not flash the other theme. */
export const themeScript = `try{var t=localStorage.getItem("${themeKey}");if(t==="light"||t==="dark")document.documentElement.dataset.theme=t}catch(e){}`;
