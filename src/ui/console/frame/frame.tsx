"use client";

import dynamic from "next/dynamic";
import { type ReactNode, useCallback, useEffect, useState } from "react";
import { wasUpdated } from "../../page-build";
import { LiveProvider } from "../live/live-provider";
import { useHasBeenTrue } from "../parts/use-has-been-true";
import { SessionGate } from "../session/session";
import { toast } from "../toast/toast";
import { BottomBar } from "./bottom-bar";
import { Nav } from "./nav";
import { Strip } from "./strip";
import { useConsoleKeys } from "./use-console-keys";

const Palette = dynamic(() => import("./palette"), { ssr: false });
const ShortcutsDialog = dynamic(() => import("./shortcuts-dialog"), { ssr: false });

/** The frame of every console page: navigation, alarms, palette and keys. */
export function Frame({ children }: { children: ReactNode }) {
  return (
    <SessionGate>
      <LiveProvider>
        <Inside>{children}</Inside>
      </LiveProvider>
    </SessionGate>
  );
}

function Inside({ children }: { children: ReactNode }) {
  const [open, setOpen] = useState<"palette" | "shortcuts" | null>(null);
  const close = useCallback(() => setOpen(null), []);
  const onPalette = useCallback(() => setOpen(now => (now === "palette" ? null : "palette")), []);
  const onShortcuts = useCallback(() => setOpen("shortcuts"), []);
  const hasShortcuts = useHasBeenTrue(open === "shortcuts");
  useConsoleKeys({ onPalette, onShortcuts });
  useEffect(() => {
    if (wasUpdated()) toast.success("This page was updated: the server has a newer version");
  }, []);
  return (
    <div className="frame">
      <a
        href="#main"
        className="btn btn-primary absolute top-1 left-1 z-50 -translate-y-16 focus:translate-y-0"
      >
        Skip to the page
      </a>
      <Strip />
      <Nav onPalette={onPalette} />
      <main className="main" id="main" tabIndex={-1}>
        {children}
      </main>
      <BottomBar />
      {open === "palette" && <Palette onClose={close} />}
      {hasShortcuts && <ShortcutsDialog open={open === "shortcuts"} onClose={close} />}
    </div>
  );
}
