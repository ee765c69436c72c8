import type { ReactNode } from "react";

type TraceStepProps = { title: string; badge: ReactNode; description?: string; children?: ReactNode };

export function TraceStep({ title, badge, description, children }: TraceStepProps) {
  return (
    <li className="grid gap-x-6 gap-y-2 px-4 py-3 md:grid-cols-[13rem_minmax(0,1fr)]">
      <div className="flex flex-wrap items-baseline gap-x-3 md:block">
        <h2 className="font-medium">{title}</h2>
        <div className="text-[0.8125rem]">{badge}</div>
        {description && <p className="text-[0.8125rem] text-soft">{description}</p>}
      </div>
      <div className="min-w-0">{children}</div>
    </li>
  );
}
