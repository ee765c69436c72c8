"use client";

import { useState } from "react";
import type { VersionStatus } from "../contract";
import { Failure } from "../parts/failure";
import { formatCount } from "../parts/format";
import { StateBadge } from "../parts/state-badge";
import { useNow } from "../parts/use-now";
import { formatFill, formatRate } from "./format-rate";
import { isProven, LAYER_TITLES, LAYERS, type Layer, STATE_TEXTS, scaleOf } from "./map-layers";
import { ScaleLegend } from "./scale-legend";
import { ShardMap } from "./shard-map";
import type { FilterMap } from "./use-filter-maps";

type MapPanelProps = {
  version: VersionStatus;
  map: FilterMap;
  layer: Layer;
  onLayer: (layer: Layer) => void;
  onOpen: (shard: string) => void;
};

/** Every shard of one version at a glance; the cell under pointer or focus in words beside it. */
export function MapPanel({ version, map, layer, onLayer, onOpen }: MapPanelProps) {
  const [at, setAt] = useState(0);
  const minute = Math.floor(useNow() / 60_000) * 60_000;
  const { cells, error } = map;
  const scale = scaleOf(layer, cells ?? [], version.errorRate, minute);
  const cell = cells?.[at];
  return (
    <section className="panel" aria-label="Shards">
      <div className="panel-head">
        <h2>Shards of v{version.version}</h2>
        {/* biome-ignore lint/a11y/useSemanticElements: a fieldset can't be laid out in one line with its legend. */}
        <div className="segmented" role="group" aria-label="What the colours show">
          {LAYERS.map(each => (
            <button key={each} type="button" aria-pressed={each === layer} onClick={() => onLayer(each)}>
              {LAYER_TITLES[each]}
            </button>
          ))}
        </div>
      </div>
      {!cells && error ? (
        <Failure error={error} />
      ) : (
        <div className="map-body">
          <ShardMap
            label={`256 shards of v${version.version} by ${LAYER_TITLES[layer].toLowerCase()}`}
            cells={cells}
            scale={scale}
            at={at}
            onAt={setAt}
            onOpen={onOpen}
          />
          <div className="map-side">
            <ScaleLegend layer={layer} scale={scale} cells={cells ?? []} />
            <div className="map-reading">
              {cell && (
                <>
                  <p className="flex items-baseline justify-between gap-3">
                    <strong className="text-[1.0625rem]">
                      Shard <span className="code text-[1em]!">{cell.shard}</span>
                    </strong>
                    <StateBadge
                      state={
                        cell.state === "sealed"
                          ? "ok"
                          : cell.state === "full"
                            ? "warning"
                            : cell.state === "unreachable"
                              ? "unknown"
                              : "critical"
                      }
                      word={cell.state}
                    />
                  </p>
                  <dl className="facts mt-1.5 text-[0.8125rem]">
                    <dt>Names</dt>
                    <dd>
                      {cell.items === null ? (
                        <NoData />
                      ) : (
                        `${formatCount(cell.items)} of ${formatCount(version.shardCapacity)}`
                      )}
                    </dd>
                    <dt>Fill</dt>
                    <dd>{cell.fill === null ? <NoData /> : formatFill(cell.fill)}</dd>
                    <dt>False positives</dt>
                    <dd>
                      {cell.falsePositiveRate === null ? <NoData /> : formatRate(cell.falsePositiveRate)}
                    </dd>
                  </dl>
                  {!isProven(cell) && (
                    <p className="mt-1.5 text-[0.8125rem] text-soft">{STATE_TEXTS[cell.state]}</p>
                  )}
                </>
              )}
            </div>
            {error ? <StateBadge state="unknown" word="May be out of date" /> : null}
          </div>
        </div>
      )}
    </section>
  );
}

const NoData = () => <span className="no-data">no data</span>;
