"use client";

import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useId, useState } from "react";
import { consoleApi } from "../console-api";
import type { FilterStatus, RebuildRequest } from "../contract";
import { Choice } from "../parts/choice";
import { Dialog } from "../parts/dialog";
import { explainFailure } from "../parts/explain-failure";
import { FailureNote } from "../parts/failure-note";
import { ReasonField } from "../parts/reason-field";
import { SubmitFoot } from "../parts/submit-foot";
import { useSettled } from "../parts/use-settled";
import { rebuildBlocked } from "./disabled-reason";
import { REFRESH } from "./filter-changes";
import { formatRate } from "./format-rate";
import { RebuildPlan } from "./rebuild-plan";
import { slotsOf } from "./slots";
import { usePlan } from "./use-plan";

type RebuildDialogProps = { open: boolean; status: FilterStatus; onClose: () => void };

export function RebuildDialog({ open, status, onClose }: RebuildDialogProps) {
  const next = Math.max(0, ...status.versions.map(({ version }) => version)) + 1;
  return (
    <Dialog open={open} onClose={onClose} title={`Rebuild the filter as v${next}`}>
      <RebuildForm status={status} next={next} onClose={onClose} />
    </Dialog>
  );
}

const ERROR_RATES = [0.001, 0.005, 0.01, 0.02, 0.05];
const FALLBACK = { capacity: 10_000_000, errorRate: 0.01 };
/** A shard that is this full calls for a larger filter. */
const HIGH = 0.8;

function RebuildForm({ status, next, onClose }: Omit<RebuildDialogProps, "open"> & { next: number }) {
  const id = useId();
  const client = useQueryClient();
  // As it was on opening: what is typed must not change under the hand.
  const [first] = useState(() => requestFrom(status));
  const [capacityText, setCapacityText] = useState(first.capacity.toLocaleString("en-US"));
  const [errorRate, setErrorRate] = useState(first.errorRate);
  const [engine, setEngine] = useState<RebuildRequest["engine"] | null>(null);
  const [reason, setReason] = useState("");
  const capacity = Number(capacityText.replace(/[\s,_]/g, ""));
  const isNumber = Number.isInteger(capacity) && capacity >= 1;
  const request = { capacity, errorRate, engine: engine ?? undefined };
  const settled = useSettled(request.capacity);
  const plan = usePlan(isNumber ? { ...request, capacity: settled } : null);
  const isCurrent = settled === capacity && plan.data !== undefined;
  const rebuild = useMutation({
    mutationFn: () => consoleApi.filter.rebuild.mutate({ ...request, reason: reason.trim() }),
    onSuccess: onClose,
    onSettled: () => {
      for (const key of [...REFRESH, "audit.list"]) void client.invalidateQueries({ queryKey: [key] });
    },
  });
  const failure = rebuild.error && explainFailure(rebuild.error, true);
  const blocked =
    (isNumber ? undefined : "Type a whole number of names.") ??
    rebuildBlocked(status) ??
    (isCurrent ? (plan.data?.problem ?? undefined) : "Wait for the plan.") ??
    (reason.trim() === "" ? "Write the reason first." : undefined);

  return (
    <form
      className="contents"
      onSubmit={event => {
        event.preventDefault();
        if (!blocked && !rebuild.isPending) rebuild.mutate();
      }}
    >
      <p className="consequence" data-tone="unknown">
        The worker reads a snapshot of the database and builds v{next} beside what is there. Readers stay
        where they are until somebody promotes it.
      </p>
      <div>
        <label className="label" htmlFor={`${id}-capacity`}>
          Names it is made for
        </label>
        <input
          id={`${id}-capacity`}
          data-first
          className="input"
          inputMode="numeric"
          autoComplete="off"
          aria-invalid={!isNumber}
          value={capacityText}
          onChange={event => setCapacityText(event.target.value)}
        />
      </div>
      <Choice
        label="False positives when it is full"
        inline
        value={errorRate}
        options={[...new Set([...ERROR_RATES, first.errorRate])]
          .toSorted((a, b) => a - b)
          .map(value => ({ value, text: formatRate(value) }))}
        onValue={setErrorRate}
      />
      <Choice
        label="Engine"
        inline
        value={engine ?? null}
        options={[
          {
            value: null,
            text: status.engine ? `What this Redis can do: ${status.engine}` : "What this Redis can do",
          },
          { value: "redisbloom" as const, text: "redisbloom" },
          { value: "bitmap" as const, text: "bitmap" },
        ]}
        onValue={setEngine}
      />
      <RebuildPlan plan={isNumber ? plan : null} />
      <ReasonField value={reason} onValue={setReason} />
      {failure && <FailureNote failure={failure} />}
      <SubmitFoot
        action="filter.rebuild"
        blocked={blocked}
        verb={`Build v${next}`}
        isPending={rebuild.isPending}
        onClose={onClose}
      />
    </form>
  );
}

/** The shape of the version that answers; twice as large when that one fills up. */
function requestFrom(status: FilterStatus): { capacity: number; errorRate: number } {
  const model = slotsOf(status).active ?? status.versions[0];
  if (!model) return FALLBACK;
  const isTight = (model.forecast?.fillRatio ?? 0) >= HIGH;
  return { capacity: model.capacity * (isTight ? 2 : 1), errorRate: model.errorRate };
}
