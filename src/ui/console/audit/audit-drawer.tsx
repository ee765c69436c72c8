"use client";

import { useQuery } from "@tanstack/react-query";
import { Link2 } from "lucide-react";
import Link from "next/link";
import { toast } from "sonner";
import { consoleApi } from "../console-api";
import type { AuditRow } from "../contract";
import { Ago } from "../parts/ago";
import { Dialog } from "../parts/dialog";
import { Failure } from "../parts/failure";
import { formatExact } from "../parts/format";
import { visibleText } from "../parts/visible-text";
import { Diff } from "./diff";
import { OutcomeBadge } from "./outcome-badge";

const AFTERWARDS_MS = 10 * 60_000;

/** One row by its id, whatever the table shows: links from elsewhere lead here. */
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
          Reading the row…
        </p>
      )}
    </Dialog>
  );
}

function Details({ row }: { row: AuditRow }) {
  const until = new Date(Math.min(Date.now(), new Date(row.at).getTime() + AFTERWARDS_MS)).toISOString();

  function copyLink() {
    const url = `${location.origin}/console/audit?id=${encodeURIComponent(row.id)}`;
    navigator.clipboard.writeText(url).then(
      () => toast.success("Copied the link"),
      () => toast.error("The browser did not allow copying."),
    );
  }

  return (
    <>
      <dl className="facts">
        <dt>When</dt>
        <dd>
          {formatExact(row.at)}, <Ago at={row.at} />
        </dd>
        <dt>Outcome</dt>
        <dd>
          <OutcomeBadge outcome={row.outcome} />
        </dd>
        <dt>Who</dt>
        <dd>
          <bdi>{row.actorName}</bdi>{" "}
          <span className="text-soft">{row.role ? `as ${row.role}` : "without a role"}</span>
          {row.actorKind === "token" && <span className="text-soft">, a service token</span>}
        </dd>
        <dt>Target</dt>
        <dd className="code">{row.target ? visibleText(row.target) : "none"}</dd>
        <dt>Reason</dt>
        <dd>{row.reason ?? <span className="text-soft">none given</span>}</dd>
        <dt>From</dt>
        <dd className="code">{row.address ?? "unknown"}</dd>
        <dt>Request</dt>
        <dd className="code select-all">{row.requestId ?? "unknown"}</dd>
      </dl>
      <div className="flex flex-wrap items-center gap-x-4 gap-y-1">
        <Link className="link" href={`/console/gate?range=1h&to=${encodeURIComponent(until)}`}>
          The gate at that moment
        </Link>
        <button type="button" className="btn btn-quiet btn-small" onClick={copyLink}>
          <Link2 size={14} aria-hidden="true" /> Copy link
        </button>
      </div>
      <Diff before={row.before} after={row.after} />
    </>
  );
}
