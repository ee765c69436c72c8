"use client";

import { useQuery } from "@tanstack/react-query";
import { CalendarClock, RefreshCw } from "lucide-react";
import dynamic from "next/dynamic";
import { parseAsBoolean, parseAsInteger, parseAsString, parseAsStringLiteral, useQueryStates } from "nuqs";
import { consoleApi } from "../console-api";
import type { FilterStatus } from "../contract";
import { Failure } from "../parts/failure";
import { PageHead } from "../parts/page-head";
import { PermittedButton } from "../parts/permitted-button";
import { RequirePermission } from "../parts/require-permission";
import { ChangeButton, type OnChange } from "./change-button";
import { FILTER_CHANGES, rebuildDisabledReason } from "./filter-change";
import { FilterSummary } from "./filter-summary";
import { GatesPanel } from "./gates-panel";
import { LAYERS } from "./map-layers";
import { MapPanel } from "./map-panel";
import { OtherVersions } from "./other-versions";
import { RebuildProgress } from "./rebuild-progress";
import { shownVersion, slotsOf, storedVersions } from "./slots";
import { Timeline } from "./timeline";
import { type FilterMap, useFilterMaps } from "./use-filter-maps";
import { VersionCards } from "./version-cards";
import { VersionPicker } from "./version-picker";

// Dialogs are loaded when they are first opened, so that the page itself loads fast.
const ChangeDialog = dynamic(() => import("./change-dialog").then(all => all.ChangeDialog), { ssr: false });
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
        <Skeleton />
      )}
    </>
  );
}

const STATUS_INTERVAL_MS = 1_000;

/** The state of the rollout, read every second. */
function useFilterStatus() {
  return useQuery({
    queryKey: ["filter.status"],
    queryFn: ({ signal }) => consoleApi.filter.status.query(undefined, { signal }),
    staleTime: 0,
    refetchInterval: STATUS_INTERVAL_MS,
  });
}

function Skeleton() {
  return (
    <div aria-busy="true">
      <div className="panel mb-3 h-33" />
      <div className="version-cards">
        <div className="panel h-78" />
        <div className="panel h-78" />
        <div className="panel h-78" />
      </div>
    </div>
  );
}

const parsers = {
  /** The version of the map and the gates. */
  version: parseAsInteger,
  layer: parseAsStringLiteral(LAYERS).withDefault("fill"),
  shard: parseAsString,
  /** The open change dialog, and its version. */
  change: parseAsStringLiteral(FILTER_CHANGES),
  of: parseAsInteger,
  rebuild: parseAsBoolean.withDefault(false),
};

function Page({ status, isOld }: { status: FilterStatus; isOld: boolean }) {
  const [{ version, layer }, setState] = useQueryStates(parsers);
  const { active, candidate } = slotsOf(status);
  const stored = storedVersions(status);
  const shown = shownVersion(status, version);
  const maps = useFilterMaps(
    stored.map(one => one.version),
    [active?.version, shown?.version],
  );
  const map = maps.find(one => one.version === shown?.version);
  const onChange: OnChange = (next, about) => void setState({ change: next, of: about ?? null });
  const onRebuild = () => void setState({ rebuild: true });

  return (
    <>
      <Head status={status} onChange={onChange} onRebuild={onRebuild} />
      <FilterSummary
        status={status}
        cells={maps.find(one => one.version === active?.version)?.cells}
        isOld={isOld}
        onChange={onChange}
      />
      {candidate && candidate.state !== "ready" && (
        <RebuildProgress key={candidate.version} status={status} version={candidate} onChange={onChange} />
      )}
      <VersionCards status={status} maps={maps} onChange={onChange} onRebuild={onRebuild} />
      {shown && map && (
        <>
          <VersionPicker
            versions={stored}
            value={shown.version}
            onValue={next => void setState({ version: next })}
          />
          <div className="filter-columns">
            <MapPanel
              version={shown}
              map={map}
              layer={layer}
              onLayer={next => void setState({ layer: next })}
              onOpen={next => void setState({ shard: next }, { history: "push" })}
            />
            <div className="grid content-start gap-3">
              <GatesPanel version={shown} />
            </div>
          </div>
        </>
      )}
      <div className="grid gap-3">
        <Timeline />
        <OtherVersions status={status} />
      </div>
      <Dialogs status={status} maps={maps} />
    </>
  );
}

/** The dialogs that the address opens. */
function Dialogs({ status, maps }: { status: FilterStatus; maps: readonly FilterMap[] }) {
  const [{ shard, change, of, rebuild }, setState] = useQueryStates(parsers);
  return (
    <>
      {shard && /^[0-9a-f]{2}$/.test(shard) && (
        <ShardDrawer
          shard={shard}
          versions={storedVersions(status)}
          maps={maps}
          onClose={() => void setState({ shard: null })}
        />
      )}
      {change && (
        <ChangeDialog
          key={`${change} ${of}`}
          change={change}
          version={of}
          status={status}
          onClose={() => void setState({ change: null, of: null })}
        />
      )}
      {rebuild && <RebuildDialog status={status} onClose={() => void setState({ rebuild: null })} />}
    </>
  );
}

type HeadProps = { status: FilterStatus; onChange: OnChange; onRebuild: () => void };

function Head({ status, onChange, onRebuild }: HeadProps) {
  return (
    <PageHead title="Filter" description={scheduleText(status)}>
      <ChangeButton change="schedule" status={status} onChange={onChange}>
        <CalendarClock size={15} aria-hidden="true" /> Schedule
      </ChangeButton>
      <PermittedButton
        action="filter.rebuild"
        className="btn btn-outline"
        disabledReason={rebuildDisabledReason(status)}
        onClick={onRebuild}
      >
        <RefreshCw size={15} aria-hidden="true" /> Rebuild
      </PermittedButton>
    </PageHead>
  );
}

function scheduleText({ schedule: { everyHours, setBy } }: FilterStatus): string {
  if (everyHours === null) return "No rebuild is scheduled";
  return `Rebuilt every ${everyHours} h${setBy ? `, set by ${setBy}` : ""}`;
}
