"use client";

import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { consoleApi } from "../console-api";
import type { SwitchRow } from "../contract";
import { Ago } from "../parts/ago";
import { type Confirmation, ConfirmDialog } from "../parts/confirm-dialog";
import { type Column, DataTable } from "../parts/data-table";
import { PageHead } from "../parts/page-head";
import { PermittedButton } from "../parts/permitted-button";
import { RequirePermission } from "../parts/require-permission";
import { StateBadge } from "../parts/state-badge";
import { useTableState } from "../parts/use-table-state";

export function SwitchesPage() {
  return (
    <RequirePermission action="switch.view">
      <PageHead
        title="Kill switches"
        description="An action that is off is refused for every role, in the console and for tokens"
      />
      <Switches />
    </RequirePermission>
  );
}

function setSwitch({ action, title, off }: SwitchRow): Confirmation {
  const verb = off ? "Turn on" : "Turn off";
  return {
    title: `${verb} “${title}”`,
    consequence: off
      ? `Every user whose role allows ${action} can do it again at once.`
      : `No user can do ${action} until an admin turns it on again. This includes operators during an incident.`,
    reach: off ? "small" : "large",
    verb: `${verb} ${action}`,
    run: reason => consoleApi.switch.set.mutate({ action, off: !off, reason }),
    done: `${action} is ${off ? "on" : "off"}`,
    refresh: ["switch.list", "session.me"],
  };
}

function Switches() {
  const [confirmation, setConfirmation] = useState<Confirmation | null>(null);
  const state = useTableState();
  const switches = useQuery({
    queryKey: ["switch.list"],
    queryFn: ({ signal }) => consoleApi.switch.list.query(undefined, { signal }),
    select: rows => ({ rows, total: rows.length }),
    refetchInterval: 10_000,
  });
  const columns: Column<SwitchRow>[] = [
    { id: "title", title: "Action", cell: row => <span className="font-medium">{row.title}</span> },
    { id: "action", title: "Name", wideOnly: true, cell: row => <span className="code">{row.action}</span> },
    {
      id: "off",
      title: "State",
      cell: row => <StateBadge state={row.off ? "critical" : "ok"} word={row.off ? "off" : "on"} />,
    },
    {
      id: "reason",
      title: "Reason",
      wideOnly: true,
      cell: row => (row.reason ? <span title={row.reason}>{row.reason}</span> : "–"),
    },
    { id: "by", title: "Changed by", wideOnly: true, cell: row => row.by ?? "–" },
    {
      id: "since",
      title: "Since",
      wideOnly: true,
      cell: row => (row.since ? <Ago at={row.since} /> : "–"),
    },
    {
      id: "set",
      title: <span className="sr-only">Change</span>,
      number: true,
      cell: row => (
        <PermittedButton
          action="switch.set"
          className="btn btn-small btn-outline"
          aria-label={`Turn ${row.off ? "on" : "off"} ${row.title}`}
          onClick={() => setConfirmation(setSwitch(row))}
        >
          Turn {row.off ? "on" : "off"}
        </PermittedButton>
      ),
    },
  ];
  return (
    <>
      <DataTable
        label="Kill switches"
        columns={columns}
        rowKey={row => row.action}
        query={switches}
        state={state}
        isWhole
        empty={{
          title: "No switches",
          text: "The permission table has no action that changes data.",
        }}
      />
      <ConfirmDialog confirmation={confirmation} onClose={() => setConfirmation(null)} />
    </>
  );
}
