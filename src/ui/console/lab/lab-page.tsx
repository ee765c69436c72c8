"use client";

import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { FlaskConical, Square } from "lucide-react";
import { parseAsString, useQueryStates } from "nuqs";
import type { FormEvent } from "react";
import { consoleApi } from "../console-api";
import type { LabRunView, LabStatus } from "../contract";
import { useWatched } from "../live/live-provider";
import { explainFailure } from "../parts/explain-failure";
import { Failure } from "../parts/failure";
import { FailureNote } from "../parts/failure-note";
import { PageHead } from "../parts/page-head";
import { PermittedButton } from "../parts/permitted-button";
import { RequirePermission } from "../parts/require-permission";
import { type LabDraft, readDraft } from "./lab-draft";
import { LabFields } from "./lab-fields";
import { LabSummary } from "./lab-summary";
import { PastRuns } from "./past-runs";
import { ScenarioCards } from "./scenario-cards";

export function LabPage() {
  return (
    <RequirePermission action="lab.view">
      <PageHead
        title="Scenario lab"
        description="The same traffic with four choices of partition keys, in a sandbox beside the real orders"
      />
      <Lab />
    </RequirePermission>
  );
}

function Lab() {
  const { data, error, refetch } = useQuery({
    queryKey: ["lab.status"],
    queryFn: ({ signal }) => consoleApi.lab.status.query(undefined, { signal }),
    staleTime: 0,
    refetchInterval: useWatched({ of: "lab.status" }),
  });
  if (data) return <Scenarios status={data} isOld={Boolean(error)} />;
  if (!error) return <div className="lab-cards h-150" aria-busy="true" />;
  return (
    <div className="panel">
      <Failure error={error} onRetry={() => void refetch()} />
    </div>
  );
}

const text = parseAsString.withOptions({ clearOnDefault: true });
const parsers = {
  symbol: text,
  rate: text,
  seconds: text,
  shards: text,
  producers: text,
  seed: text,
  /** The shown run; absent: the current one, else the newest. */
  run: parseAsString,
};

function Scenarios({ status: { current, runs }, isOld }: { status: LabStatus; isOld: boolean }) {
  const [{ run, ...draft }, setState] = useQueryStates(parsers);
  const shown = runs.find(({ id }) => id === run) ?? current ?? runs[0] ?? null;
  return (
    <>
      <LabSummary run={shown} isOld={isOld} />
      <RunForm
        draft={draft}
        current={current}
        onDraft={part => void setState(part)}
        onStart={() => void setState({ run: null })}
      />
      <ScenarioCards run={shown} options={readDraft(draft).values} />
      <PastRuns
        runs={runs}
        shown={shown?.id ?? null}
        onShow={id => void setState({ run: id }, { history: "push" })}
      />
    </>
  );
}

type RunFormProps = {
  draft: LabDraft;
  current: LabRunView | null;
  onDraft: (part: Partial<LabDraft>) => void;
  onStart: () => void;
};

function RunForm({ draft, current, onDraft, onStart }: RunFormProps) {
  const client = useQueryClient();
  const read = readDraft(draft);
  const [problem] = Object.values(read.problems);
  const refresh = () => {
    for (const key of ["lab.status", "audit.list"]) void client.invalidateQueries({ queryKey: [key] });
  };
  const start = useMutation({
    mutationFn: () => consoleApi.lab.run.mutate(read.values),
    onSuccess: onStart,
    onSettled: refresh,
  });
  const cancel = useMutation({
    mutationFn: (id: string) => consoleApi.lab.cancel.mutate({ run: id }),
    onSettled: refresh,
  });
  const disabledReason =
    problem ??
    (current ? `A run by ${current.requestedBy} is active; the lab runs one at a time.` : undefined);
  const failed = start.error ?? cancel.error;

  function onSubmit(event: FormEvent) {
    event.preventDefault();
    if (!disabledReason && !start.isPending) start.mutate();
  }

  return (
    <form className="panel lab-form mb-3" aria-label="Traffic of the next run" onSubmit={onSubmit}>
      <LabFields draft={draft} read={read} onDraft={onDraft} />
      <div className="flex flex-wrap items-center gap-2">
        <PermittedButton
          type="submit"
          action="lab.run"
          className="btn btn-primary"
          disabledReason={disabledReason}
          aria-busy={start.isPending}
        >
          <FlaskConical size={15} aria-hidden="true" /> Run the scenarios
        </PermittedButton>
        {current && (
          <PermittedButton
            action="lab.run"
            className="btn btn-outline"
            disabledReason={current.cancelRequestedBy ? "The run is stopping." : undefined}
            onClick={() => cancel.mutate(current.id)}
          >
            <Square size={13} aria-hidden="true" /> Cancel run {current.id}
          </PermittedButton>
        )}
      </div>
      {failed && <FailureNote failure={explainFailure(failed, true)} />}
    </form>
  );
}
