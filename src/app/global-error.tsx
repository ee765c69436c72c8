"use client";

import "../ui/styles/main.css";

/** Stands in for the root layout when that itself failed: so it leans on nothing but the stylesheet. */
export default function GlobalError({ retry }: { error: unknown; retry: () => void }) {
  return (
    <html lang="en">
      <body>
        <title>Something jammed · Floodgate</title>
        <main className="mx-auto flex min-h-svh max-w-96 flex-col items-start justify-center gap-4 p-8">
          <h1 className="question-title">Something jammed</h1>
          <p className="text-ink-soft">This page stopped working on our side. Try again in a moment.</p>
          <button type="button" className="button button-primary mt-4" onClick={retry}>
            Load this page again
          </button>
        </main>
      </body>
    </html>
  );
}
