import type { ReactNode } from "react";

type PageHeadProps = { title: string; hint?: ReactNode; children?: ReactNode };

export function PageHead({ title, hint, children }: PageHeadProps) {
  return (
    <header className="page-head">
      <div className="flex flex-wrap items-baseline gap-x-3">
        <h1>{title}</h1>
        {hint && <p className="text-[0.8125rem] text-soft">{hint}</p>}
      </div>
      {children && <div className="flex flex-wrap items-center gap-2">{children}</div>}
    </header>
  );
}
