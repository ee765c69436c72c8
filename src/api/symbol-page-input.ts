import { z } from "zod";
import { SYMBOL_SORTS, SYMBOL_STATES } from "../domain/orders/symbol-table";
import { page } from "./staff-input";

/** One leaf of the console's table of symbols. `symbol`: whose details are open; any text, since people type it. */
export const symbolPageInput = z.object({
  search: z.string().max(200).default(""),
  state: z.enum(SYMBOL_STATES).nullable().default(null),
  sort: z.enum(SYMBOL_SORTS).default("heat"),
  order: z.enum(["asc", "desc"]).default("desc"),
  symbol: z.string().max(200).nullable().default(null),
  ...page,
});
