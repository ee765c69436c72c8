import type { ReactNode } from "react";
import { WORK_STATES } from "../../../domain/filter/filter-version";
import type { MapCell, VersionStatus } from "../contract";
import { Ago } from "../parts/ago";
import { formatCount } from "../parts/format";
import { formatBytes } from "../parts/format-bytes";
import { StateBadge } from "../parts/state-badge";
import { FillMeter } from "./fill-meter";
import { formatFill, formatRate } from "./format-rate";
import { readProgress } from "./progress";
import { shardsPart } from "./summary-of";
import { VersionBadge } from "./version-badge";
import { VersionNotes } from "./version-notes";

type VersionCardProps = {
  slot: string;
  version?: VersionStatus;
  /** Its 256 shards, once they were looked at. */
  cells?: readonly MapCell[];
  /** Shown when the slot is empty. */
  empty: { title: string; text: string };
  children?: ReactNode;
};

/** One version; the same facts on the same lines in each card, so that they can be compared across. */
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
    ["Made for", `${formatCount(capacity)} names at ${formatRate(errorRate)}`],
    ["Holds", forecast ? `${formatCount(forecast.items)} names` : <NoData key="holds" />],
    ["Fullest", <FillMeter key="fill" version={version} />],
    [
      "Stale",
      forecast ? `${formatFill(forecast.staleRatio)} are gone from the database` : <NoData key="stale" />,
    ],
    ["Shards", <Whole key="shards" state={version.state} cells={cells} />],
    ["In Redis", `${formatBytes(sizeBytes)}, ${engine}`],
    [
      "Built",
      builtAt ? (
        <Ago key="built" at={builtAt} />
      ) : (
        <span key="built" className="text-soft">
          not yet; asked for <Ago at={version.createdAt} />
        </span>
      ),
    ],
    [
      "Asked by",
      <span key="by" title={reason ?? undefined}>
        <bdi>{requestedBy}</bdi>
        {reason && <span className="text-soft">: {reason}</span>}
      </span>,
    ],
  ];
}

function Whole({ state: at, cells }: { state: VersionStatus["state"]; cells?: readonly MapCell[] }) {
  if (WORK_STATES.includes(at)) return <span className="text-soft">not sealed yet</span>;
  if (!cells) return <NoData />;
  const { state, text } = shardsPart(cells);
  return state === "ok" ? `${text} whole` : <StateBadge state={state} word={text} />;
}

const NoData = () => <span className="no-data">no data yet</span>;
