"use client";

import { useQuery } from "@tanstack/react-query";
import { parseAsString, useQueryState } from "nuqs";
import { type FormEvent, useEffect, useRef } from "react";
import { consoleApi } from "../console-api";
import { Failure } from "../parts/failure";
import { PageHead } from "../parts/page-head";
import { RequirePermission } from "../parts/require-permission";
import { TraceSummary } from "./trace-summary";

export function TracePage() {
  return (
    <RequirePermission action="name.trace">
      <PageHead title="Name trace" description="Why a name is free, taken or refused" />
      <Tracer />
    </RequirePermission>
  );
}

function Tracer() {
  const [name, setName] = useQueryState(
    "name",
    parseAsString.withDefault("").withOptions({ history: "push" }),
  );
  const input = useRef<HTMLInputElement>(null);
  const trace = useQuery({
    queryKey: ["name.trace", name],
    queryFn: ({ signal }) => consoleApi.name.trace.query({ name }, { signal }),
    enabled: name !== "",
    staleTime: 0,
  });

  // The palette and links change the name in the address.
  useEffect(() => {
    if (input.current && input.current.value !== name) input.current.value = name;
  }, [name]);

  function submit(event: FormEvent) {
    event.preventDefault();
    const typed = input.current?.value ?? "";
    if (typed === name) void trace.refetch();
    else void setName(typed || null);
  }

  return (
    <>
      <form className="mb-3 flex max-w-xl gap-2" onSubmit={submit}>
        <input
          ref={input}
          data-search
          className="input"
          aria-label="Name, exactly as it was typed"
          placeholder="Name, exactly as it was typed"
          defaultValue={name}
          autoComplete="off"
          autoCapitalize="none"
          spellCheck={false}
          maxLength={256}
          // biome-ignore lint/a11y/noAutofocus: the page has only this field.
          autoFocus
        />
        <button type="submit" className="btn btn-primary" aria-busy={trace.isFetching}>
          Trace the name
        </button>
      </form>
      {name === "" ? (
        <div className="panel blank">
          <strong>Type the name from the support case</strong>
          <p>The trace shows each step: rules, reserved words, filter, database and outbox.</p>
        </div>
      ) : trace.data ? (
        <TraceSummary name={name} trace={trace.data} />
      ) : trace.error ? (
        <div className="panel">
          <Failure error={trace.error} onRetry={() => void trace.refetch()} />
        </div>
      ) : (
        <div className="panel blank" role="status">
          Tracing the name…
        </div>
      )}
    </>
  );
}
