"use client";

import { useQueryClient } from "@tanstack/react-query";
import { LogOut } from "lucide-react";
import { useState } from "react";
import { useSession } from "../session/session";
import { signOut } from "../session/sign-out";
import { toast } from "../toast/toast";
import { chooseTheme, readTheme, THEMES } from "./console-theme";

/** Who is signed in, the theme, and the sign-out button. */
export default function UserFacts() {
  const { user } = useSession();
  const client = useQueryClient();
  return (
    <div className="grid gap-3 p-2">
      <div className="min-w-0">
        <bdi className="block truncate font-medium">{user.username}</bdi>
        <span className="block truncate text-xs text-soft">{user.email}</span>
        <span className="block text-xs text-soft">Role: {user.role}</span>
      </div>
      <ThemeChoice />
      <button
        type="button"
        className="btn btn-outline"
        onClick={() => void signOut(client).catch(() => toast.error("Signing out failed. Try again."))}
      >
        <LogOut size={14} aria-hidden="true" /> Sign out
      </button>
    </div>
  );
}

const THEME_TITLES = { dark: "Dark", light: "Light", system: "System" };

function ThemeChoice() {
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
          {THEME_TITLES[theme]}
        </button>
      ))}
    </div>
  );
}
