"use client";

import { useState } from "react";
import { chooseTheme, readTheme, THEMES } from "./console-theme";

const words = { dark: "Dark", light: "Light", system: "System" };

export function ThemeChoice() {
  const [chosen, setChosen] = useState(readTheme);
  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset can't be laid out in one line with its legend.
    <div className="segmented" role="group" aria-label="Theme">
      {THEMES.map(theme => (
        <button
          key={theme}
          type="button"
          aria-pressed={theme === chosen}
          onClick={() => {
            chooseTheme(theme);
            setChosen(theme);
          }}
        >
          {words[theme]}
        </button>
      ))}
    </div>
  );
}
