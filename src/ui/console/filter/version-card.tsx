import type { ReactNode } from "react";
import { WORK_STATES } from "../../../domain/filter/filter-version";
import type { MapCell, VersionStatus } from "../contract";
import { Ago } from "../parts/ago";
import { formatCount } from "../parts/format";
import { formatBytes } from "../parts/format-bytes";
import { NoData } from "../parts/measured";
import { StateBadge } from "../parts/state-badge";
import { FillMeter } from "./fill-meter";
import { formatFill, formatRate } from "./format-rate";
import { readProgress } from "./progress";
import { shardsPart } from "./summarize-filter";
import { VersionBadge } from "./version-badge";
import { VersionNotes } from "./version-notes";

type VersionCardProps = {
  slot: string;
  version?: VersionStatus;
  /** Its 256 shards, once they are read. */
  cells?: readonly MapCell[];
  /** Shown when the slot is empty. */
  empty: { title: string; text: string };
  children?: ReactNode;
};

/** One version. Each card has the same facts on the same lines, so that versions can be compared. */
export function VersionCard({ slot, version, cells, empty, children }: VersionCardProps) {
  if (!version) {
    return (
      <section className="panel version-card" data-empty aria-label={slot}>
        <p className="version-slot">{slot}</p>
        <div className="blank min-h-0!">
          <strong>{empty.title}</strong>
          <p>{empty.text}</p>
        </div>
        <div className="version-actions">{children}</div>
      </section>
    );
  }
  return (
    <section className="panel version-card" aria-label={`${slot}: v${version.version}`}>
      <header className="version-head">
        <p className="version-slot">{slot}</p>
        <div className="flex items-baseline justify-between gap-3">
          <h2>v{version.version}</h2>
          <VersionBadge state={version.state} />
        </div>
      </header>
      <dl className="version-facts">
        {factsOf(version, cells).map(([title, value]) => (
          <div key={title}>
            <dt>{title}</dt>
            <dd>{value}</dd>
          </div>
        ))}
      </dl>
      <VersionNotes version={version} />
      <div className="version-actions">{children}</div>
    </section>
  );
}

function factsOf(version: VersionStatus, cells?: readonly MapCell[]): [string, ReactNode][] {
  const { capacity, errorRate, engine, sizeBytes, forecast, requestedBy, reason } = version;
  const { builtAt } = readProgress(version.progress);
  return [
    ["Capacity", `${formatCount(capacity)} names at ${formatRate(errorRate)}`],
    ["Names", forecast ? formatCount(forecast.items) : <NoData key="names" />],
    ["Fullest shard", <FillMeter key="fill" version={version} />],
    [
      "Stale names",
      forecast ? `${formatFill(forecast.staleRatio)}, deleted in the database` : <NoData key="stale" />,
    ],
    ["Shards", <Shards key="shards" state={version.state} cells={cells} />],
    ["In Redis", `${formatBytes(sizeBytes)}, ${engine}`],
    [
      "Built",
      builtAt ? (
        <Ago key="built" at={builtAt} />
      ) : (
        <span key="built" className="text-soft">
          requested <Ago at={version.createdAt} />
        </span>
      ),
    ],
    [
      "Requested by",
      <span key="by" title={reason ?? undefined}>
        <bdi>{requestedBy}</bdi>
        {reason && <span className="text-soft">: {reason}</span>}
      </span>,
    ],
  ];
}

function Shards({ state: at, cells }: { state: VersionStatus["state"]; cells?: readonly MapCell[] }) {
  if (WORK_STATES.includes(at)) return <span className="text-soft">not sealed yet</span>;
  if (!cells) return <NoData />;
  const { state, text } = shardsPart(cells);
  return state === "ok" ? `${text} sealed` : <StateBadge state={state} word={text} />;
}
