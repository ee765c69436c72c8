/** localStorage key of the person's own choice; absent means "as the system says". */
export const themeKey = "theme";

export const THEMES = ["light", "dark"] as const;

/** Runs in <head>, before the first paint: a stored choice must never flash the other theme. */
export const themeScript = `try{var t=localStorage.getItem("${themeKey}");if(t==="light"||t==="dark")document.documentElement.dataset.theme=t}catch(e){}`;
