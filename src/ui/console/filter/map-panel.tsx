"use client";

import { useState } from "react";
import type { VersionStatus } from "../contract";
import { Failure } from "../parts/failure";
import { StateBadge } from "../parts/state-badge";
import { useNow } from "../parts/use-now";
import { isProven, LAYER_TITLES, LAYERS, type Layer, scaleOf } from "./map-layers";
import { ScaleLegend } from "./scale-legend";
import { ShardMap } from "./shard-map";
import { ShardReading } from "./shard-reading";
import type { FilterMap } from "./use-filter-maps";

type MapPanelProps = {
  version: VersionStatus;
  map: FilterMap;
  layer: Layer;
  onLayer: (layer: Layer) => void;
  onOpen: (shard: string) => void;
};

/** All shards of one version, with the figures of the cell under the pointer or focus. */
export function MapPanel({ version, map, layer, onLayer, onOpen }: MapPanelProps) {
  const [chosen, setAt] = useState<number | null>(null);
  const minute = Math.floor(useNow() / 60_000) * 60_000;
  const { cells, error } = map;
  const scale = scaleOf(layer, cells ?? [], version.errorRate, minute);
  // The first shard with a problem is shown until the user moves.
  const at = chosen ?? Math.max(0, cells?.findIndex(each => !isProven(each)) ?? 0);
  const cell = cells?.[at];
  return (
    <section className="panel" aria-label="Shards">
      <div className="panel-head">
        <h2>Shards of v{version.version}</h2>
        {/* biome-ignore lint/a11y/useSemanticElements: a fieldset can't be laid out in one line with its legend. */}
        <div className="segmented" role="group" aria-label="Map layer">
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
            <ShardReading cell={cell} shardCapacity={version.shardCapacity} />
            {error ? <StateBadge state="unknown" word="May be out of date" /> : null}
          </div>
        </div>
      )}
    </section>
  );
}
