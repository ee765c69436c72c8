import type { MapCell, VersionStatus } from "../contract";
import { Ago } from "../parts/ago";
import { ConsoleLink } from "../parts/console-link";
import { Dialog } from "../parts/dialog";
import { formatCount } from "../parts/format";
import { NoData } from "../parts/measured";
import { formatFill, formatRate } from "./format-rate";
import { isProven, STATE_SIGNS, STATE_TEXTS } from "./map-layers";
import type { FilterMap } from "./use-filter-maps";

type ShardDrawerProps = {
  /** "00" to "ff". */
  shard: string;
  versions: readonly VersionStatus[];
  maps: readonly FilterMap[];
  onClose: () => void;
};

/** One shard in every stored version. Mounting opens it. */
export function ShardDrawer({ shard, versions, maps, onClose }: ShardDrawerProps) {
  return (
    <Dialog kind="drawer" open onClose={onClose} title={`Shard ${shard}`}>
      <p className="text-soft">
        Contains the names whose SHA-256 begins with <span className="code text-ink">{shard}</span>.
      </p>
      {versions.map(version => (
        <InVersion
          key={version.version}
          shard={shard}
          version={version}
          cell={maps.find(map => map.version === version.version)?.cells?.find(cell => cell.shard === shard)}
        />
      ))}
      <p className="flex flex-wrap gap-x-4">
        <ConsoleLink className="link" href="/console/trace">
          Trace a name to its shard and to each version's answer
        </ConsoleLink>
      </p>
    </Dialog>
  );
}

function InVersion({ shard, version, cell }: { shard: string; version: VersionStatus; cell?: MapCell }) {
  return (
    <section className="rounded border border-line px-3 py-2.5" aria-label={`In v${version.version}`}>
      <h3 className="mb-1.5 flex items-baseline justify-between gap-3 font-medium">
        v{version.version} <span className="font-normal text-soft">{version.state}</span>
      </h3>
      {cell ? (
        <dl className="facts">
          <dt>State</dt>
          <dd>
            <span className="shard-sample mr-2 align-middle" data-state={cell.state} aria-hidden="true">
              {STATE_SIGNS[cell.state]}
            </span>
            {cell.state}
            <p className="text-[0.8125rem] text-soft">{STATE_TEXTS[cell.state]}</p>
          </dd>
          <dt>Names</dt>
          <dd>
            {cell.items === null ? <NoData /> : formatCount(cell.items)}
            <span className="text-soft"> of {formatCount(version.shardCapacity)}</span>
          </dd>
          <dt>Fill</dt>
          <dd>{cell.fill === null ? <NoData /> : formatFill(cell.fill)}</dd>
          <dt>False positives</dt>
          <dd>
            {cell.falsePositiveRate === null ? <NoData /> : formatRate(cell.falsePositiveRate)}
            <span className="text-soft">, configured {formatRate(version.errorRate)}</span>
          </dd>
          <dt>Made</dt>
          <dd>{cell.madeAt === null || !isProven(cell) ? <NoData /> : <Ago at={cell.madeAt} />}</dd>
          <dt>Key</dt>
          <dd className="code select-all">
            bf:usernames:{"{"}
            {shard}
            {"}"}:v{version.version}
          </dd>
        </dl>
      ) : (
        <NoData />
      )}
    </section>
  );
}
