"use client";

import dynamic from "next/dynamic";
import { parseAsString, parseAsStringLiteral, useQueryStates } from "nuqs";
import { SYMBOL_SORTS, SYMBOL_STATES } from "../../../domain/orders/symbol-table";
import type { SymbolRow } from "../contract";
import { DataTable } from "../parts/data-table";
import { PageHead } from "../parts/page-head";
import { RequirePermission } from "../parts/require-permission";
import { SearchField } from "../parts/search-field";
import { searchParser } from "../parts/search-parser";
import { SelectFilter } from "../parts/select-filter";
import { useHasBeenTrue } from "../parts/use-has-been-true";
import { useTableState } from "../parts/use-table-state";
import { SuggestionsPanel } from "./suggestions-panel";
import { ASKS, type OnAsk, symbolColumns } from "./symbol-columns";
import { SymbolsSummary } from "./symbols-summary";
import { useSymbols } from "./use-symbols";

const SymbolDrawer = dynamic(() => import("./symbol-drawer"), { ssr: false });
const AskedSymbol = dynamic(() => import("./asked-symbol"), { ssr: false });

export function SymbolsPage() {
  return (
    <RequirePermission action="symbol.view">
      <PageHead
        title="Symbols"
        description="What each puts into the order log, and how it is split over shards"
      />
      <Symbols />
    </RequirePermission>
  );
}

const parsers = {
  search: searchParser,
  state: parseAsStringLiteral(SYMBOL_STATES),
  /** Whose details are open. */
  symbol: parseAsString,
  /** What is asked about it. */
  ask: parseAsStringLiteral(ASKS),
};

function Symbols() {
  const table = useTableState(SYMBOL_SORTS);
  const [{ search, state, symbol, ask }, setFilter] = useQueryStates(parsers);
  const { sort = "heat", order, page, pageSize } = table;
  const list = useSymbols({ search, state, sort, order, page, pageSize, symbol });
  const row = rowOf(symbol, list);
  const onAsk: OnAsk = (about, next) => void setFilter({ symbol: about, ask: next });
  const onOpen = (about: string) => void setFilter({ symbol: about, ask: null }, { history: "push" });
  const columns = symbolColumns(onAsk);

  return (
    <>
      {list.data ? (
        <>
          <SymbolsSummary list={list.data} isOld={Boolean(list.error)} onMark={onOpen} />
          <SuggestionsPanel list={list.data} onAsk={onAsk} />
        </>
      ) : (
        <div className="h-29" aria-busy={!list.error} />
      )}
      <DataTable
        label="Symbols"
        columns={columns}
        rowKey={row => row.symbol}
        query={{ data: list.data, error: list.error, refetch: list.refetch }}
        state={table}
        onOpen={row => onOpen(row.symbol)}
        openKey={symbol}
        empty={{ title: "No such symbol", text: "Search for another part of the name, or any state." }}
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
              onValue={next => void setFilter({ state: next })}
            />
          </>
        }
      />
      {useHasBeenTrue(symbol !== null && ask === null) && list.data && (
        <SymbolDrawer
          symbol={ask === null ? symbol : null}
          row={row}
          list={list.data}
          onClose={() => void setFilter({ symbol: null })}
          onAsk={onAsk}
        />
      )}
      {useHasBeenTrue(ask !== null) && list.data && (
        <AskedSymbol
          symbol={ask === null ? null : symbol}
          ask={ask}
          row={row}
          shardCount={list.data.shards.length}
          onClose={() => void setFilter({ symbol: null, ask: null })}
        />
      )}
    </>
  );
}

/** Null where there is none of that name; undefined until it is read. */
function rowOf(
  symbol: string | null,
  { data, isPlaceholderData }: ReturnType<typeof useSymbols>,
): SymbolRow | null | undefined {
  if (symbol === null || !data) return undefined;
  if (data.opened?.symbol === symbol) return data.opened;
  return data.rows.find(one => one.symbol === symbol) ?? (isPlaceholderData ? undefined : null);
}
