"use client";

import { useQueryClient } from "@tanstack/react-query";
import { ChevronsUpDown, LogOut } from "lucide-react";
import { useEffect, useRef, useState } from "react";
import { useSession } from "../session/session";
import { signOut } from "../session/sign-out";
import { toast } from "../toast/toast";
import { chooseTheme, readTheme, THEMES } from "./console-theme";

/** The signed-in user and their role. Opens to the theme and the sign-out button. */
export function UserMenu() {
  const { user } = useSession();
  const [isOpen, setIsOpen] = useState(false);
  const root = useRef<HTMLDivElement>(null);

  useEffect(() => {
    if (!isOpen) return;
    const close = (event: Event) => {
      if (!root.current?.contains(event.target as Node)) setIsOpen(false);
    };
    document.addEventListener("pointerdown", close);
    document.addEventListener("focusin", close);
    return () => {
      document.removeEventListener("pointerdown", close);
      document.removeEventListener("focusin", close);
    };
  }, [isOpen]);

  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: Escape anywhere within closes the menu.
    <div
      ref={root}
      className="relative mt-auto"
      onKeyDown={event => {
        if (event.key !== "Escape" || !isOpen) return;
        setIsOpen(false);
        root.current?.querySelector("button")?.focus();
      }}
    >
      <button
        type="button"
        className="flex w-full items-center gap-2 rounded-md px-2.5 py-1.5 text-left hover:bg-raised"
        aria-expanded={isOpen}
        onClick={() => setIsOpen(!isOpen)}
      >
        <span className="min-w-0 grow">
          <bdi className="block truncate font-medium">{user.username}</bdi>
          <span className="block text-xs text-soft">{user.role}</span>
        </span>
        <ChevronsUpDown size={14} aria-hidden="true" className="text-faint" />
      </button>
      {isOpen && (
        <div className="menu bottom-full left-0 mb-1">
          <UserFacts />
        </div>
      )}
    </div>
  );
}

export function UserFacts() {
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
