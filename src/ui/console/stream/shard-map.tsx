import type { ShardSeriesAnswer } from "../contract";
import { formatBytes } from "../filter/format-bytes";
import { formatQuantity } from "../parts/format";
import { Measured } from "../parts/measured";
import { ScrollArea } from "../parts/scroll-area";
import { HeatStrip } from "./heat-strip";
import { sharesOf } from "./shard-lines";

/** Shard by time: which shard was full when, and what each carries now. */
export function ShardMap({ answer }: { answer: ShardSeriesAnswer }) {
  const shares = sharesOf(answer);
  const last = (values: readonly (number | null)[]) => values.at(-1) ?? null;
  return (
    <section className="panel mb-3" aria-label="Shards over time">
      <div className="panel-head flex-wrap">
        <h2>Shards over time</h2>
        <p className="flex flex-wrap items-center gap-x-4 text-xs text-soft">
          <span className="heat-scale" aria-hidden="true" /> 0 to 100 % of the limit
          <span>
            <span className="swatch" style={{ "--colour": "var(--critical)" } as React.CSSProperties} />
            throttled
          </span>
        </p>
      </div>
      <ScrollArea className="table-scroll" label="Shards over time, table">
        <table className="table shard-time">
          <thead>
            <tr>
              <th scope="col">Shard</th>
              <th scope="col" className="w-full">
                Load
              </th>
              <th scope="col" className="number">
                Now
              </th>
              <th scope="col" className="number wide-only">
                Records
              </th>
              <th scope="col" className="number wide-only">
                Bytes
              </th>
              <th scope="col" className="number">
                Throttled
              </th>
            </tr>
          </thead>
          <tbody>
            {answer.shards.map(({ shardId, records, bytes, throttled }, i) => {
              const share = last(shares[i]!.shares);
              const text = share === null ? "no data" : formatQuantity(share, "share");
              const size = last(bytes);
              return (
                <tr key={shardId}>
                  <td>{shardId}</td>
                  <td className="heat-cell">
                    <HeatStrip
                      label={`Shard ${shardId}: ${text} of its limit now`}
                      shares={shares[i]!.shares}
                      throttled={throttled}
                    />
                  </td>
                  <td className="number">
                    <Measured value={share} unit="share" />
                  </td>
                  <td className="number wide-only">
                    <Measured value={last(records)} unit="perSecond" />
                  </td>
                  <td className="number wide-only">
                    {size === null ? <Measured value={null} unit="count" /> : `${formatBytes(size)}/s`}
                  </td>
                  <td className="number">
                    <Measured value={last(throttled)} unit="perSecond" />
                  </td>
                </tr>
              );
            })}
          </tbody>
        </table>
      </ScrollArea>
    </section>
  );
}
