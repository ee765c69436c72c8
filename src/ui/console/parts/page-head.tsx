import type { ReactNode } from "react";

type PageHeadProps = { title: string; description?: ReactNode; children?: ReactNode };

export function PageHead({ title, description, children }: PageHeadProps) {
  return (
    <header className="page-head">
      <div className="flex flex-wrap items-baseline gap-x-3">
        <h1>{title}</h1>
        {description && <p className="text-[0.8125rem] text-soft">{description}</p>}
      </div>
      {children && <div className="flex flex-wrap items-center gap-2">{children}</div>}
    </header>
  );
}
