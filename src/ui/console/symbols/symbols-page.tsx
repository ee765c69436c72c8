"use client";

import { useQuery } from "@tanstack/react-query";
import dynamic from "next/dynamic";
import { parseAsString, parseAsStringLiteral, useQueryStates } from "nuqs";
import { SYMBOL_SORTS, SYMBOL_STATES } from "../../../domain/orders/symbol-table";
import { consoleApi } from "../console-api";
import type { SymbolPageInput, SymbolRow } from "../contract";
import { useWatched } from "../live/live-provider";
import { DataTable } from "../parts/data-table";
import { PageHead } from "../parts/page-head";
import { PermittedButton } from "../parts/permitted-button";
import { RequirePermission } from "../parts/require-permission";
import { SearchField } from "../parts/search-field";
import { searchParser } from "../parts/search-parser";
import { SelectFilter } from "../parts/select-filter";
import { StatusSummary } from "../parts/status-summary";
import { OUT_OF_DATE } from "../parts/summary-state";
import { useHasBeenTrue } from "../parts/use-has-been-true";
import { useSettled } from "../parts/use-settled";
import { useTableState } from "../parts/use-table-state";
import { SuggestionsPanel } from "./suggestions-panel";
import { summarizeSymbols } from "./summarize-symbols";
import { type OnRequest, SYMBOL_REQUESTS, type SymbolRequest, symbolColumns } from "./symbol-columns";
import { STATE_WORDS } from "./symbol-state";

const SymbolDrawer = dynamic(() => import("./symbol-drawer"), { ssr: false });
const AddSymbolDialog = dynamic(() => import("./add-symbol-dialog"), { ssr: false });
const RequestedDialog = dynamic(() => import("./requested-dialog"), { ssr: false });

export function SymbolsPage() {
  return (
    <RequirePermission action="symbol.view">
      <PageHead title="Symbols" description="The load of each symbol, and its split over shards">
        <AddSymbol />
      </PageHead>
      <Symbols />
    </RequirePermission>
  );
}

function AddSymbol() {
  const [, setFilter] = useQueryStates(parsers);
  return (
    <PermittedButton
      action="symbol.add"
      className="btn btn-outline"
      onClick={() => void setFilter({ symbol: null, request: "add" })}
    >
      Add symbol
    </PermittedButton>
  );
}

const parsers = {
  search: searchParser,
  state: parseAsStringLiteral(SYMBOL_STATES),
  /** The symbol whose details or dialog are open. */
  symbol: parseAsString,
  /** The open dialog: about the symbol, or "add". */
  request: parseAsStringLiteral([...SYMBOL_REQUESTS, "add"]),
};

/** The rows of one page and the figures of all symbols: one query. */
function useSymbols(request: SymbolPageInput) {
  const input = { ...request, search: useSettled(request.search) };
  return useQuery({
    queryKey: ["symbol.page", input],
    queryFn: ({ signal }) => consoleApi.symbol.page.query(input, { signal }),
    placeholderData: previous => previous,
    staleTime: 0,
    refetchInterval: useWatched({ of: "symbol.page", input }),
  });
}

type SymbolsQuery = ReturnType<typeof useSymbols>;

function Symbols() {
  const table = useTableState(SYMBOL_SORTS);
  const [{ search, state, symbol, request }, setFilter] = useQueryStates(parsers);
  const { sort = "heat", order, page, pageSize } = table;
  const list = useSymbols({ search, state, sort, order, page, pageSize, symbol });
  const onRequest: OnRequest = (about, next) => void setFilter({ symbol: about, request: next });
  const onOpen = (about: string) => void setFilter({ symbol: about, request: null }, { history: "push" });

  return (
    <>
      <Summary list={list} onRequest={onRequest} onOpen={onOpen} />
      <DataTable
        label="Symbols"
        columns={symbolColumns(onRequest)}
        rowKey={row => row.symbol}
        query={{ data: list.data, error: list.error, refetch: list.refetch }}
        state={table}
        onOpen={row => onOpen(row.symbol)}
        openKey={symbol}
        empty={{ title: "No such symbol", text: "Search for another part of the name, or choose any state." }}
        tools={
          <>
            <SearchField
              label="Find a symbol"
              value={search}
              onValue={next => {
                void setFilter({ search: next || null });
                if (page !== 1) table.setPage(1);
              }}
            />
            <SelectFilter
              label="State"
              any="Any state"
              value={state}
              options={SYMBOL_STATES}
              words={STATE_WORDS}
              onValue={next => void setFilter({ state: next })}
            />
          </>
        }
      />
      <SymbolDialogs
        symbol={symbol}
        request={request}
        list={list}
        onRequest={onRequest}
        onClose={() => void setFilter({ symbol: null, request: null })}
      />
    </>
  );
}

type SummaryProps = { list: SymbolsQuery; onRequest: OnRequest; onOpen: (symbol: string) => void };

function Summary({ list: { data, error }, onRequest, onOpen }: SummaryProps) {
  if (!data) return <div className="h-29" aria-busy={!error} />;
  const { urgent } = data;
  return (
    <>
      <StatusSummary {...summarizeSymbols(data)} {...(error && OUT_OF_DATE)}>
        {urgent && !error && (
          <button
            type="button"
            className={urgent.suggestion ? "btn btn-outline" : "btn btn-primary"}
            onClick={() => onOpen(urgent.symbol)}
          >
            Inspect {urgent.symbol}
          </button>
        )}
      </StatusSummary>
      <SuggestionsPanel list={data} onRequest={onRequest} />
    </>
  );
}

type SymbolDialogsProps = {
  symbol: string | null;
  request: SymbolRequest | "add" | null;
  list: SymbolsQuery;
  onRequest: OnRequest;
  onClose: () => void;
};

/** The drawer of a symbol, and the dialogs of its changes. */
function SymbolDialogs({ symbol, request, list, onRequest, onClose }: SymbolDialogsProps) {
  const row = rowOf(symbol, list);
  const hasDrawer = useHasBeenTrue(symbol !== null && request === null);
  if (request === "add") return <AddSymbolDialog onClose={onClose} />;
  if (!list.data) return null;
  return (
    <>
      {hasDrawer && (
        <SymbolDrawer
          symbol={request === null ? symbol : null}
          row={row}
          list={list.data}
          onClose={onClose}
          onRequest={onRequest}
        />
      )}
      {symbol !== null && request !== null && (
        <RequestedDialog
          key={`${symbol} ${request}`}
          symbol={symbol}
          request={request}
          row={row}
          shardCount={list.data.shards.length}
          onClose={onClose}
        />
      )}
    </>
  );
}

/** Null: there is no such symbol; undefined: not read yet. */
function rowOf(
  symbol: string | null,
  { data, isPlaceholderData }: SymbolsQuery,
): SymbolRow | null | undefined {
  if (symbol === null || !data) return undefined;
  if (data.opened?.symbol === symbol) return data.opened;
  return data.rows.find(one => one.symbol === symbol) ?? (isPlaceholderData ? undefined : null);
}
