import { z } from "zod";
import { SYMBOL_SORTS, SYMBOL_STATES } from "../domain/orders/symbol-table";
import { page } from "./staff-input";

/** One page of the symbol table. `symbol` is the row with open details; any text, since it is in the URL. */
export const symbolPageInput = z.object({
  search: z.string().max(200).default(""),
  state: z.enum(SYMBOL_STATES).nullable().default(null),
  sort: z.enum(SYMBOL_SORTS).default("heat"),
  order: z.enum(["asc", "desc"]).default("desc"),
  symbol: z.string().max(200).nullable().default(null),
  ...page,
});
