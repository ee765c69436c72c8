"use client";

import { useQuery } from "@tanstack/react-query";
import { useId, useState } from "react";
import { consoleApi } from "../console-api";
import type { FilterStatus, RebuildRequest } from "../contract";
import { Choice } from "../parts/choice";
import { FormDialog } from "../parts/form-dialog";
import { ReasonField } from "../parts/reason-field";
import { useSettled } from "../parts/use-settled";
import { rebuildDisabledReason } from "./filter-change";
import { REFRESH } from "./filter-confirmations";
import { formatRate } from "./format-rate";
import { RebuildPlan } from "./rebuild-plan";
import { slotsOf } from "./slots";

type RebuildDialogProps = { status: FilterStatus; onClose: () => void };

/** Asks for the size of the next version and shows the plan before it is built. */
export function RebuildDialog({ status, onClose }: RebuildDialogProps) {
  const next = Math.max(0, ...status.versions.map(({ version }) => version)) + 1;
  // Read once, so that a newer status does not change the fields.
  const [initial] = useState(() => requestFrom(status));
  const [capacityText, setCapacityText] = useState(initial.capacity.toLocaleString("en-US"));
  const [errorRate, setErrorRate] = useState(initial.errorRate);
  const [engine, setEngine] = useState<RebuildRequest["engine"] | null>(null);
  const [reason, setReason] = useState("");
  const [confirmUnknownRoom, setConfirmUnknownRoom] = useState(false);
  const capacity = Number(capacityText.replace(/[\s,_]/g, ""));
  const isNumber = Number.isInteger(capacity) && capacity >= 1;
  const request = { capacity, errorRate, engine: engine ?? undefined };
  const settled = useSettled(capacity);
  const plan = usePlan(isNumber ? { ...request, capacity: settled } : null);
  const asksForRoom = plan.data?.problem === null && plan.data.room === "unknown";
  const isCurrent = settled === capacity && plan.data !== undefined;

  return (
    <FormDialog
      title={`Rebuild the filter as v${next}`}
      action="filter.rebuild"
      verb={`Build v${next}`}
      disabledReason={
        (isNumber ? undefined : "Type a whole number of names.") ??
        rebuildDisabledReason(status) ??
        (isCurrent ? (plan.data?.problem ?? undefined) : "Wait for the plan.") ??
        (asksForRoom && !confirmUnknownRoom ? "Confirm the unknown memory first." : undefined) ??
        (reason.trim() === "" ? "Write the reason first." : undefined)
      }
      run={() => consoleApi.filter.rebuild.mutate({ ...request, confirmUnknownRoom, reason: reason.trim() })}
      refresh={REFRESH}
      onClose={onClose}
    >
      <p className="consequence" data-tone="unknown">
        The worker builds v{next} from a snapshot of the database, beside the existing versions. Readers do
        not change until a user promotes it.
      </p>
      <CapacityField value={capacityText} onValue={setCapacityText} isInvalid={!isNumber} />
      <Choice
        label="False-positive rate of the full filter"
        inline
        value={errorRate}
        options={rateOptions(initial.errorRate)}
        onValue={setErrorRate}
      />
      <Choice
        label="Engine"
        inline
        value={engine ?? null}
        options={[
          {
            value: null,
            text: status.engine ? `Best of this Redis: ${status.engine}` : "Best of this Redis",
          },
          { value: "redisbloom" as const, text: "redisbloom" },
          { value: "bitmap" as const, text: "bitmap" },
        ]}
        onValue={setEngine}
      />
      <RebuildPlan plan={isNumber ? plan : null} />
      {asksForRoom && (
        <label className="flex items-baseline gap-2">
          <input
            type="checkbox"
            checked={confirmUnknownRoom}
            onChange={event => setConfirmUnknownRoom(event.target.checked)}
          />
          <span>
            Build without a known memory limit <span className="text-soft">Redis may run out of memory</span>
          </span>
        </label>
      )}
      <ReasonField value={reason} onValue={setReason} />
    </FormDialog>
  );
}

type CapacityFieldProps = { value: string; onValue: (value: string) => void; isInvalid: boolean };

function CapacityField({ value, onValue, isInvalid }: CapacityFieldProps) {
  const id = useId();
  return (
    <div>
      <label className="label" htmlFor={id}>
        Capacity, in names
      </label>
      <input
        id={id}
        data-first
        className="input"
        inputMode="numeric"
        autoComplete="off"
        aria-invalid={isInvalid}
        value={value}
        onChange={event => onValue(event.target.value)}
      />
    </div>
  );
}

const ERROR_RATES = [0.001, 0.005, 0.01, 0.02, 0.05];

const rateOptions = (initial: number) =>
  [...new Set([...ERROR_RATES, initial])]
    .toSorted((a, b) => a - b)
    .map(value => ({ value, text: formatRate(value) }));

const FALLBACK = { capacity: 10_000_000, errorRate: 0.01 };
/** From this fill ratio on the next version is twice as large. */
const HIGH_FILL = 0.8;

/** The size of the active version, doubled when that one fills up. */
function requestFrom(status: FilterStatus): { capacity: number; errorRate: number } {
  const model = slotsOf(status).active ?? status.versions[0];
  if (!model) return FALLBACK;
  const isFull = (model.forecast?.fillRatio ?? 0) >= HIGH_FILL;
  return { capacity: model.capacity * (isFull ? 2 : 1), errorRate: model.errorRate };
}

/** The plan of a rebuild, read again when the request changes; null reads nothing. */
function usePlan(request: RebuildRequest | null) {
  return useQuery({
    queryKey: ["filter.plan", request],
    queryFn: ({ signal }) => consoleApi.filter.plan.query(request as RebuildRequest, { signal }),
    enabled: request !== null,
    staleTime: 10_000,
  });
}
