"use client";

/** Inline, because a stylesheet would be loaded on every page of both roots. */
const styles = `
  :root { color-scheme: light dark; font: 1rem/1.5 ui-sans-serif, system-ui, sans-serif }
  body { display: grid; min-height: 100svh; margin: 0; place-items: center }
  main { max-width: 24rem; padding: 2rem }
  h1 { font-size: 1.5rem; line-height: 1.2 }
  button { min-height: 2.75rem; padding: 0 1rem; font: inherit }
`;

/** Replaces a root layout that failed. */
export default function GlobalError({ retry }: { error: unknown; retry: () => void }) {
  return (
    <html lang="en">
      <body>
        <title>Page error · Floodgate</title>
        <style>{styles}</style>
        <main>
          <h1>Page error</h1>
          <p>This page failed. Try again in a moment.</p>
          <button type="button" onClick={retry}>
            Load this page again
          </button>
        </main>
      </body>
    </html>
  );
}
