import { parseAsInteger, parseAsStringLiteral, useQueryStates } from "nuqs";

export const PAGE_SIZE = 25;
/** The server counts and pages no further. More rows need a filter. */
export const COUNTED_ROWS = 10_000;

/** The page, sort and order of a table, kept in the address. `sorts[0]` is the default sort. */
export function useTableState<const Sort extends string>(sorts: readonly Sort[] = []) {
  const [state, setState] = useQueryStates({
    page: parseAsInteger.withDefault(1),
    sort: parseAsStringLiteral(sorts),
    order: parseAsStringLiteral(["asc", "desc"] as const).withDefault("desc"),
  });
  const page = Math.min(Math.max(1, state.page), COUNTED_ROWS / PAGE_SIZE);
  return {
    page,
    pageSize: PAGE_SIZE,
    sort: state.sort ?? sorts[0],
    order: state.order,
    setPage: (next: number) => void setState({ page: next === 1 ? null : next }, { history: "push" }),
    setSort(next: Sort) {
      const isSame = next === (state.sort ?? sorts[0]);
      const order = isSame && state.order === "desc" ? "asc" : "desc";
      void setState({ sort: next, order, page: null });
    },
  };
}

export type TableState<Sort extends string = string> = ReturnType<typeof useTableState<Sort>>;
