"use client";

import dynamic from "next/dynamic";
import { parseAsString, useQueryStates } from "nuqs";
import { useMemo } from "react";
import { DataTable } from "../parts/data-table";
import { PageHead } from "../parts/page-head";
import { RequirePermission } from "../parts/require-permission";
import { SearchField } from "../parts/search-field";
import { searchParser } from "../parts/search-parser";
import { StatusSummary } from "../parts/status-summary";
import { OUT_OF_DATE } from "../parts/summary-state";
import { useHasBeenTrue } from "../parts/use-has-been-true";
import { useTableState } from "../parts/use-table-state";
import { ENGINE_COLUMNS } from "./engine-columns";
import { pickEngines, SORTS } from "./pick-engines";
import { summarizeEngines } from "./summarize-engines";
import { useEngines } from "./use-engines";

const EngineDrawer = dynamic(() => import("./engine-drawer"), { ssr: false });

export function EnginePage() {
  return (
    <RequirePermission action="orders.view">
      <PageHead title="Engine" description="Top of the book, trades, position and backlog of each symbol" />
      <Engines />
    </RequirePermission>
  );
}

function Engines() {
  const table = useTableState(SORTS);
  const [{ search, symbol }, setFilter] = useQueryStates({ search: searchParser, symbol: parseAsString });
  const list = useEngines();
  const rows = list.data?.rows;
  const { sort, order, page, pageSize } = table;
  const picked = useMemo(
    () => rows && pickEngines(rows, { search, sort: sort ?? "symbol", order }),
    [rows, search, sort, order],
  );
  const shown = picked && {
    rows: picked.slice((page - 1) * pageSize, page * pageSize),
    total: picked.length,
  };
  return (
    <>
      {rows ? (
        <StatusSummary {...summarizeEngines(rows)} {...(list.error && OUT_OF_DATE)} />
      ) : (
        <div className="mb-3 h-13" aria-busy={!list.error} />
      )}
      <DataTable
        label="Engines"
        columns={ENGINE_COLUMNS}
        rowKey={row => row.symbol}
        query={{ data: shown, error: list.error, refetch: list.refetch }}
        state={table}
        onOpen={row => void setFilter({ symbol: row.symbol }, { history: "push" })}
        openKey={symbol}
        empty={{ title: "No such symbol", text: "Search for another part of the name." }}
        tools={
          <SearchField
            label="Find a symbol"
            value={search}
            onValue={next => {
              void setFilter({ search: next || null });
              if (page !== 1) table.setPage(1);
            }}
          />
        }
      />
      {useHasBeenTrue(symbol !== null) && rows && (
        <EngineDrawer symbol={symbol} rows={rows} onClose={() => void setFilter({ symbol: null })} />
      )}
    </>
  );
}
