"use client";

import { CalendarClock, RefreshCw } from "lucide-react";
import dynamic from "next/dynamic";
import { parseAsBoolean, parseAsInteger, parseAsString, parseAsStringLiteral, useQueryStates } from "nuqs";
import type { FilterStatus } from "../contract";
import { Failure } from "../parts/failure";
import { PageHead } from "../parts/page-head";
import { PermittedButton } from "../parts/permitted-button";
import { RequirePermission } from "../parts/require-permission";
import { useHasBeenTrue } from "../parts/use-has-been-true";
import { AskButton, type OnAsk } from "./ask-button";
import { ASKS, rebuildBlocked } from "./disabled-reason";
import { FilterSkeleton } from "./filter-skeleton";
import { FilterSummary } from "./filter-summary";
import { GatesPanel } from "./gates-panel";
import { LAYERS } from "./map-layers";
import { MapPanel } from "./map-panel";
import { OtherVersions } from "./other-versions";
import { RebuildProgress } from "./rebuild-progress";
import { looksAt, slotsOf, storedVersions } from "./slots";
import { Timeline } from "./timeline";
import { useFilterMaps } from "./use-filter-maps";
import { useFilterStatus } from "./use-filter-status";
import { VersionCards } from "./version-cards";
import { VersionPicker } from "./version-picker";

// Dialogs come when they are first opened: the page's state is what has to be there at once.
const AskedDialog = dynamic(() => import("./asked-dialog").then(all => all.AskedDialog), { ssr: false });
const RebuildDialog = dynamic(() => import("./rebuild-dialog").then(all => all.RebuildDialog), {
  ssr: false,
});
const ShardDrawer = dynamic(() => import("./shard-drawer").then(all => all.ShardDrawer), { ssr: false });

export function FilterPage() {
  return (
    <RequirePermission action="filter.view">
      <Rollout />
    </RequirePermission>
  );
}

function Rollout() {
  const { data: status, error, refetch } = useFilterStatus();
  if (status) return <Page status={status} isOld={Boolean(error)} />;
  return (
    <>
      <PageHead title="Filter" />
      {error ? (
        <div className="panel">
          <Failure error={error} onRetry={() => void refetch()} />
        </div>
      ) : (
        <FilterSkeleton />
      )}
    </>
  );
}

const parsers = {
  /** Which version map and gates are about. */
  version: parseAsInteger,
  layer: parseAsStringLiteral(LAYERS).withDefault("fill"),
  shard: parseAsString,
  ask: parseAsStringLiteral(ASKS),
  /** Which version is asked about. */
  of: parseAsInteger,
  rebuild: parseAsBoolean.withDefault(false),
};

function Page({ status, isOld }: { status: FilterStatus; isOld: boolean }) {
  const [{ version, layer, shard, ask, of, rebuild }, setState] = useQueryStates(parsers);
  const { active, candidate } = slotsOf(status);
  const stored = storedVersions(status);
  const seen = looksAt(status, version);
  const maps = useFilterMaps(
    stored.map(one => one.version),
    [active?.version, seen?.version],
  );
  const map = maps.find(one => one.version === seen?.version);
  const onAsk: OnAsk = (next, about) => void setState({ ask: next, of: about ?? null });
  const onRebuild = () => void setState({ rebuild: true });
  const isAtWork = candidate && candidate.state !== "ready";

  return (
    <>
      <PageHead title="Filter" description={scheduleText(status)}>
        <AskButton ask="schedule" status={status} onAsk={onAsk}>
          <CalendarClock size={15} aria-hidden="true" /> Schedule
        </AskButton>
        <PermittedButton
          action="filter.rebuild"
          className="btn btn-outline"
          blocked={rebuildBlocked(status)}
          onClick={onRebuild}
        >
          <RefreshCw size={15} aria-hidden="true" /> Rebuild
        </PermittedButton>
      </PageHead>
      <FilterSummary
        status={status}
        cells={maps.find(one => one.version === active?.version)?.cells}
        isOld={isOld}
        onAsk={onAsk}
      />
      {isAtWork && (
        <RebuildProgress key={candidate.version} status={status} version={candidate} onAsk={onAsk} />
      )}
      <VersionCards status={status} maps={maps} onAsk={onAsk} onRebuild={onRebuild} />
      {seen && map && (
        <>
          <VersionPicker
            versions={stored}
            value={seen.version}
            onValue={next => void setState({ version: next })}
          />
          <div className="filter-columns">
            <MapPanel
              version={seen}
              map={map}
              layer={layer}
              onLayer={next => void setState({ layer: next })}
              onOpen={next => void setState({ shard: next }, { history: "push" })}
            />
            <div className="grid content-start gap-3">
              <GatesPanel version={seen} />
            </div>
          </div>
        </>
      )}
      <div className="grid gap-3">
        <Timeline />
        <OtherVersions status={status} />
      </div>
      {useHasBeenTrue(shard !== null) && (
        <ShardDrawer
          shard={shard && /^[0-9a-f]{2}$/.test(shard) ? shard : null}
          versions={stored}
          maps={maps}
          onClose={() => void setState({ shard: null })}
        />
      )}
      {useHasBeenTrue(ask !== null) && (
        <AskedDialog
          ask={ask}
          version={of}
          status={status}
          onClose={() => void setState({ ask: null, of: null })}
        />
      )}
      {useHasBeenTrue(rebuild) && (
        <RebuildDialog open={rebuild} status={status} onClose={() => void setState({ rebuild: null })} />
      )}
    </>
  );
}

function scheduleText({ schedule: { everyHours, setBy } }: FilterStatus): string {
  return everyHours === null
    ? "No rebuild is scheduled"
    : `Rebuilt every ${everyHours} h, as set by ${setBy ?? "somebody"}`;
}
