import type { Metadata, Viewport } from "next";
import type { ReactNode } from "react";
import { consoleThemeKey, consoleThemeScript, THEMES } from "../../ui/console/frame/console-theme";
import { KeepTheme } from "../../ui/keep-theme";
import "@fontsource-variable/geist";
import "../../ui/console/styles/main.css";

export const metadata: Metadata = {
  title: { default: "Console · Floodgate", template: "%s · Floodgate console" },
  robots: { index: false, follow: false },
};

export const viewport: Viewport = { colorScheme: "dark light", themeColor: "#0e0f10" };

/** The root of the console. It loads nothing of the public pages, and they load nothing of it. */
export default function ConsoleRootLayout({ children }: { children: ReactNode }) {
  return (
    // The theme script changes an attribute on <html> before React sees it.
    <html lang="en" className="console" data-theme="dark" suppressHydrationWarning>
      <head>
        <script>{consoleThemeScript}</script>
      </head>
      <body>
        <KeepTheme storageKey={consoleThemeKey} themes={THEMES} />
        {children}
      </body>
    </html>
  );
}
