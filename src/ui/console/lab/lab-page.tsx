"use client";

import { useMutation, useQueryClient } from "@tanstack/react-query";
import { FlaskConical, Square } from "lucide-react";
import { parseAsString, useQueryStates } from "nuqs";
import type { FormEvent } from "react";
import { consoleApi } from "../console-api";
import type { LabStatus } from "../contract";
import { explainFailure } from "../parts/explain-failure";
import { Failure } from "../parts/failure";
import { FailureNote } from "../parts/failure-note";
import { PageHead } from "../parts/page-head";
import { PermittedButton } from "../parts/permitted-button";
import { RequirePermission } from "../parts/require-permission";
import { readDraft } from "./lab-draft";
import { LabFields } from "./lab-fields";
import { LabSummary } from "./lab-summary";
import { PastRuns } from "./past-runs";
import { ScenarioCards } from "./scenario-cards";
import { useLabStatus } from "./use-lab-status";

export function LabPage() {
  return (
    <RequirePermission action="lab.view">
      <PageHead
        title="Scenario lab"
        description="The same traffic, four ways to choose its keys; in a sandbox, beside the real orders"
      />
      <Lab />
    </RequirePermission>
  );
}

function Lab() {
  const { data, error, refetch } = useLabStatus();
  if (data) return <Bench status={data} isOld={Boolean(error)} />;
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
  /** Which of the last runs is shown; absent: the one in hand, else the newest. */
  run: parseAsString,
};

function Bench({ status: { current, runs }, isOld }: { status: LabStatus; isOld: boolean }) {
  const client = useQueryClient();
  const [{ run, ...draft }, setState] = useQueryStates(parsers);
  const read = readDraft(draft);
  const [problem] = Object.values(read.problems);
  const shown = runs.find(({ id }) => id === run) ?? current ?? runs[0] ?? null;
  const refresh = () => {
    for (const key of ["lab.status", "audit.list"]) void client.invalidateQueries({ queryKey: [key] });
  };
  const start = useMutation({
    mutationFn: () => consoleApi.lab.run.mutate(read.values),
    onSuccess: () => setState({ run: null }),
    onSettled: refresh,
  });
  const cancel = useMutation({
    mutationFn: (id: string) => consoleApi.lab.cancel.mutate({ run: id }),
    onSettled: refresh,
  });
  const isBusy = current !== null || start.isPending;
  const blocked =
    problem ??
    (current ? `${current.requestedBy}'s run is going on; the lab does one at a time.` : undefined);
  const failed = start.error ?? cancel.error;

  function onSubmit(event: FormEvent) {
    event.preventDefault();
    if (!blocked && !isBusy) start.mutate();
  }

  return (
    <>
      <LabSummary run={shown} isOld={isOld} />
      <form className="panel lab-form mb-3" aria-label="Traffic of the next run" onSubmit={onSubmit}>
        <LabFields draft={draft} read={read} onDraft={part => void setState(part)} />
        <div className="flex flex-wrap items-center gap-2">
          <PermittedButton
            type="submit"
            action="lab.run"
            className="btn btn-primary"
            blocked={blocked}
            aria-busy={start.isPending}
          >
            <FlaskConical size={15} aria-hidden="true" /> Run the scenarios
          </PermittedButton>
          {current && (
            <PermittedButton
              action="lab.run"
              className="btn btn-outline"
              blocked={current.cancelAskedBy ? "It is being stopped." : undefined}
              onClick={() => cancel.mutate(current.id)}
            >
              <Square size={13} aria-hidden="true" /> Cancel run {current.id}
            </PermittedButton>
          )}
        </div>
        {failed && <FailureNote failure={explainFailure(failed, true)} />}
      </form>
      <ScenarioCards run={shown} options={read.values} />
      <PastRuns
        runs={runs}
        shown={shown?.id ?? null}
        onShow={id => void setState({ run: id }, { history: "push" })}
      />
    </>
  );
}
