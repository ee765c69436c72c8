import type { ReactNode } from "react";

type WholePageProps = { title: string; text: ReactNode; children?: ReactNode };

/** A page without the frame, for users and errors that the frame cannot show. */
export function WholePage({ title, text, children }: WholePageProps) {
  return (
    <main className="mx-auto grid min-h-svh max-w-md content-center gap-3 px-6">
      <h1 className="text-lg font-semibold">{title}</h1>
      <p className="text-soft">{text}</p>
      <div className="mt-2 flex flex-wrap gap-2">{children}</div>
    </main>
  );
}
