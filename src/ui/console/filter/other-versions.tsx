import type { FilterStatus, VersionStatus } from "../contract";
import { Ago } from "../parts/ago";
import { type Column, DataTable } from "../parts/data-table";
import { formatCount } from "../parts/format";
import { useTableState } from "../parts/use-table-state";
import { formatRate } from "./format-rate";
import { slotsOf } from "./slots";
import { VersionBadge } from "./version-badge";

const columns: Column<VersionStatus>[] = [
  { id: "version", title: "Version", cell: ({ version }) => <span className="font-medium">v{version}</span> },
  { id: "state", title: "State", cell: ({ state }) => <VersionBadge state={state} /> },
  { id: "stateAt", title: "Since", cell: ({ stateAt }) => <Ago at={stateAt} /> },
  {
    id: "capacity",
    title: "Capacity",
    wideOnly: true,
    cell: ({ capacity, errorRate }) => `${formatCount(capacity)} at ${formatRate(errorRate)}`,
  },
  { id: "engine", title: "Engine", wideOnly: true, cell: ({ engine }) => engine },
  { id: "by", title: "Requested by", wideOnly: true, cell: ({ requestedBy }) => <bdi>{requestedBy}</bdi> },
  {
    id: "why",
    title: "Outcome",
    cell: ({ failure, reason }) => (
      <span title={failure ?? reason ?? undefined} className={failure ? "text-critical" : "text-soft"}>
        {failure ?? reason ?? "–"}
      </span>
    ),
  },
];

/** The versions that are in no slot of the rollout. */
export function OtherVersions({ status }: { status: FilterStatus }) {
  const state = useTableState();
  const slots = Object.values(slotsOf(status));
  const rows = status.versions.filter(version => !slots.includes(version));
  if (rows.length === 0) return null;
  return (
    <DataTable
      label="Earlier versions"
      columns={columns}
      rowKey={({ version }) => String(version)}
      query={{ data: { rows, total: rows.length }, error: null, refetch: () => undefined }}
      state={state}
      isWhole
      empty={{ title: "No earlier version", text: "" }}
      tools={<h2 className="grow px-1 font-medium">Earlier versions</h2>}
    />
  );
}
