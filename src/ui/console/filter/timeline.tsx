"use client";

import { useQuery } from "@tanstack/react-query";
import { Bot, KeyRound, UserRound } from "lucide-react";
import { consoleApi } from "../console-api";
import type { AuditRow } from "../contract";
import { Ago } from "../parts/ago";
import { ConsoleLink } from "../parts/console-link";
import { Failure } from "../parts/failure";
import { OutcomeBadge } from "../parts/outcome-badge";
import { useCan } from "../session/session";
import { describeAuditRow } from "./describe-audit-row";

const ROWS = 50;
/** The live stream does not report the actions of the worker, so the list is polled. */
const INTERVAL_MS = 5_000;

/** The audit rows of the filter, newest first. */
export function Timeline() {
  const verdict = useCan("audit.view");
  const input = { search: "filter:", page: 1, pageSize: ROWS };
  const rows = useQuery({
    queryKey: ["audit.list", input],
    queryFn: ({ signal }) => consoleApi.audit.list.query(input, { signal }),
    select: ({ rows: found }) => found.filter(({ target }) => target?.startsWith("filter:")),
    enabled: verdict.allowed,
    refetchInterval: INTERVAL_MS,
  });
  return (
    <section className="panel" aria-label="Timeline">
      <div className="panel-head">
        <h2>Timeline</h2>
        <ConsoleLink className="link text-[0.8125rem]" href="/console/audit?search=filter:">
          Show all in the audit log
        </ConsoleLink>
      </div>
      {!verdict.allowed ? (
        <p className="blank">{verdict.reason}</p>
      ) : !rows.data && rows.error ? (
        <Failure error={rows.error} onRetry={() => void rows.refetch()} />
      ) : (
        <ol className="timeline" aria-busy={!rows.data}>
          {rows.data?.map(row => (
            <TimelineRow key={row.id} row={row} />
          ))}
          {rows.data?.length === 0 && <li className="blank">No entries yet.</li>}
        </ol>
      )}
    </section>
  );
}

function TimelineRow({ row }: { row: AuditRow }) {
  const isSystem = row.actorKind === "system";
  const Icon = isSystem ? Bot : row.actorKind === "token" ? KeyRound : UserRound;
  return (
    <li data-by={isSystem ? "system" : "person"}>
      <span className="timeline-mark" aria-hidden="true">
        <Icon size={13} strokeWidth={2} />
      </span>
      <div className="min-w-0">
        <p>
          <ConsoleLink className="timeline-act" href={`/console/audit?id=${row.id}`}>
            {describeAuditRow(row)}
          </ConsoleLink>{" "}
          {row.outcome !== "ok" && <OutcomeBadge outcome={row.outcome} />}
        </p>
        <p className="text-[0.8125rem] text-soft">
          <bdi>{isSystem ? "automatic" : row.actorName}</bdi>
          {row.reason && <>: {row.reason}</>}
        </p>
      </div>
      <span className="timeline-time">
        <Ago at={row.at} />
      </span>
    </li>
  );
}
