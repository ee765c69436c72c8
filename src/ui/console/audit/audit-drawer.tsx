"use client";

import { useQuery } from "@tanstack/react-query";
import { Link2 } from "lucide-react";
import { consoleApi } from "../console-api";
import type { AuditRow } from "../contract";
import { Ago } from "../parts/ago";
import { ConsoleLink } from "../parts/console-link";
import { Dialog } from "../parts/dialog";
import { Failure } from "../parts/failure";
import { formatCount, formatExact } from "../parts/format";
import { OutcomeBadge } from "../parts/outcome-badge";
import { visibleText } from "../parts/visible-text";
import { toast } from "../toast/toast";
import { Diff } from "./diff";
import { linksOf } from "./links-of";

/** One row by its id. The table does not have to show it, because other pages link here. */
export function AuditDrawer({ id, onClose }: { id: string | null; onClose: () => void }) {
  const row = useQuery({
    queryKey: ["audit.get", id],
    queryFn: ({ signal }) => consoleApi.audit.get.query({ id: id ?? "" }, { signal }),
    enabled: id !== null,
    staleTime: Number.POSITIVE_INFINITY,
  });
  return (
    <Dialog
      kind="drawer"
      open={id !== null}
      onClose={onClose}
      title={row.data ? row.data.action : "Audit row"}
    >
      {row.data ? (
        <Details row={row.data} />
      ) : row.error ? (
        <Failure error={row.error} onRetry={() => void row.refetch()} />
      ) : (
        <p className="text-soft" role="status">
          Loading the row…
        </p>
      )}
    </Dialog>
  );
}

function Details({ row }: { row: AuditRow }) {
  const { error, alsoTried } = row.outcome === "ok" ? {} : failureOf(row.after);

  function copyLink() {
    const url = `${location.origin}/console/audit?id=${encodeURIComponent(row.id)}`;
    navigator.clipboard.writeText(url).then(
      () => toast.success("Copied the link"),
      () => toast.error("The browser did not allow copying. Select the text and copy it."),
    );
  }

  return (
    <>
      <dl className="facts">
        <dt>Time</dt>
        <dd>
          {formatExact(row.at)}, <Ago at={row.at} />
        </dd>
        <dt>Outcome</dt>
        <dd>
          <OutcomeBadge outcome={row.outcome} />
        </dd>
        <dt>Actor</dt>
        <dd>
          <bdi>{row.actorName}</bdi>{" "}
          <span className="text-soft">{row.role ? `as ${row.role}` : "without a role"}</span>
          {row.actorKind === "token" && <span className="text-soft">, a service token</span>}
        </dd>
        <dt>Target</dt>
        <dd className="code">{row.target ? visibleText(row.target) : "–"}</dd>
        <dt>Reason</dt>
        <dd>{row.reason ?? "–"}</dd>
        {error && (
          <>
            <dt>Error</dt>
            <dd className="text-critical">{error}</dd>
          </>
        )}
        {alsoTried && (
          <>
            <dt>Earlier attempts</dt>
            <dd>{formatCount(alsoTried)}, without an audit row</dd>
          </>
        )}
        <dt>Address</dt>
        <dd className="code">{row.address ?? "–"}</dd>
        <dt>Request</dt>
        <dd className="code select-all">{row.requestId ?? "–"}</dd>
      </dl>
      <div className="flex flex-wrap items-center gap-x-4 gap-y-1">
        {linksOf(row).map(({ text, href }) => (
          <ConsoleLink key={href} className="link" href={href}>
            {text}
          </ConsoleLink>
        ))}
        <button type="button" className="btn btn-quiet btn-small" onClick={copyLink}>
          <Link2 size={14} aria-hidden="true" /> Copy link
        </button>
      </div>
      {row.outcome === "ok" ? (
        <Diff before={row.before} after={row.after} />
      ) : (
        <p className="text-soft">Nothing was changed.</p>
      )}
    </>
  );
}

type FailureNotes = { error?: string; alsoTried?: number };

/** The error of a failed action, and the number of attempts without an audit row. */
function failureOf(after: unknown): FailureNotes {
  const { error, alsoTried } = (after ?? {}) as Record<string, unknown>;
  return {
    error: typeof error === "string" ? error : undefined,
    alsoTried: typeof alsoTried === "number" ? alsoTried : undefined,
  };
}
