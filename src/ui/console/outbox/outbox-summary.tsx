"use client";

import {
  DELIVERED_COUNTED,
  OUTBOX_BEHIND_SECONDS,
  OUTBOX_COUNTED,
} from "../../../domain/filter/outbox-limit";
import { useLive } from "../live/live-provider";
import { formatQuantity } from "../parts/format";
import { Measured } from "../parts/measured";
import type { State } from "../parts/state-badge";
import { SummaryWord } from "../parts/status-summary";

/** The state of the outbox, and the numbers behind it. */
export function OutboxSummary() {
  const { live, source } = useLive();
  const outbox = source === "lost" ? undefined : (live?.outbox ?? undefined);
  const { state, word } = summaryOf(source === "lost", outbox);
  const numbers = [
    {
      title: "Waiting",
      value: outbox?.pending,
      unit: "count",
      large: { from: OUTBOX_COUNTED, word: "about" },
    },
    {
      title: "Oldest row",
      value: outbox && outbox.pending > 0 ? outbox.oldestSeconds : outbox && 0,
      unit: "seconds",
      large: null,
    },
    {
      title: "Delivered, last minute",
      value: outbox?.deliveredLastMinute,
      unit: "count",
      large: { from: DELIVERED_COUNTED, word: "at least" },
    },
    {
      title: "Dead letters",
      value: outbox?.dead,
      unit: "count",
      large: { from: OUTBOX_COUNTED, word: "at least" },
    },
  ] as const;
  return (
    <section className="panel mb-3 overflow-hidden" aria-label="Status summary">
      <div className="panel-head">
        <SummaryWord state={state} word={word} />
        {outbox && (
          <p className="text-soft">
            {outbox.relays.length === 0
              ? "No relay has claimed rows"
              : outbox.relays
                  .map(relay => `Relay ${relay.name} has claimed ${formatQuantity(relay.claimed, "count")}`)
                  .join(" · ")}
          </p>
        )}
      </div>
      <dl className="stats">
        {numbers.map(({ title, value, unit, large }) => (
          <div key={title} className="stat">
            <dt className="text-[0.8125rem] text-soft">{title}</dt>
            <dd className="stat-value">
              {large && value !== undefined && value >= large.from && (
                <span className="unit">{large.word} </span>
              )}
              <Measured value={value} unit={unit} />
            </dd>
          </div>
        ))}
      </dl>
    </section>
  );
}

type Outbox = NonNullable<NonNullable<ReturnType<typeof useLive>["live"]>["outbox"]>;

function summaryOf(isLost: boolean, outbox?: Outbox): { state: State; word: string } {
  if (!outbox) return { state: "unknown", word: isLost ? "The outbox's state is unknown" : "Loading…" };
  if (outbox.pending > 0 && outbox.oldestSeconds > OUTBOX_BEHIND_SECONDS)
    return { state: "warning", word: "The relay is behind" };
  if (outbox.dead > 0) return { state: "warning", word: "The outbox has dead letters" };
  return { state: "ok", word: "The relay keeps up" };
}
