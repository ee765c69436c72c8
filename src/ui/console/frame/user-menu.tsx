"use client";

import { ChevronsUpDown } from "lucide-react";
import dynamic from "next/dynamic";
import { useEffect, useRef, useState } from "react";
import { useSession } from "../session/session";

export const UserFacts = dynamic(() => import("./user-facts"), { ssr: false });

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
