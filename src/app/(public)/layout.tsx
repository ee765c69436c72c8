import type { Metadata, Viewport } from "next";
import type { ReactNode } from "react";
import { Water } from "../../ui/artwork/water";
import { KeepTheme } from "../../ui/keep-theme";
import { SiteHeader } from "../../ui/site-header";
import { THEMES, themeKey, themeScript } from "../../ui/theme-script";
import "@fontsource-variable/geist";
import "../../ui/styles/main.css";

export const metadata: Metadata = {
  title: { default: "Sign up · Floodgate", template: "%s · Floodgate" },
  description: "Pick a name, and the gate opens. Three questions, one at a time.",
};

export const viewport: Viewport = {
  colorScheme: "light dark",
  themeColor: [
    { media: "(prefers-color-scheme: light)", color: "#f8f6f1" },
    { media: "(prefers-color-scheme: dark)", color: "#151311" },
  ],
};

export default function RootLayout({ children }: { children: ReactNode }) {
  return (
    // The theme script sets an attribute on <html> before React sees it.
    <html lang="en" suppressHydrationWarning>
      <head>
        <script>{themeScript}</script>
      </head>
      <body>
        <KeepTheme storageKey={themeKey} themes={THEMES} />
        <div className="public-page">
          <Water />
          <SiteHeader />
          <main className="grid place-items-center px-4 py-20 sm:px-8">{children}</main>
        </div>
      </body>
    </html>
  );
}
