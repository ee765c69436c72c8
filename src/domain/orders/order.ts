import { z } from "zod";
import { AppError } from "../app-error";
import { readDecimal } from "./order-decimal";
import { SYMBOL_PATTERN } from "./symbol-pattern";

export { SYMBOL_PATTERN };

/** A tradable symbol. Prices and quantities of its orders are whole numbers of 10^-decimals. */
export type TradedSymbol = { symbol: string; priceDecimals: number; quantityDecimals: number };

/** Of orders and accounts. */
export const ORDER_ID = /^[A-Za-z0-9_-]{1,36}$/;
const id = z.string().regex(ORDER_ID, "Use 1 to 36 letters, digits, - or _.");
const decimal = z.string().max(40, "This has too many digits.");

/**
 * An order as clients send it. `price` and `quantity` are decimal strings: quote currency per unit,
 * and units of the symbol. A cancel names an order of the same account.
 */
export const orderInput = z.discriminatedUnion("kind", [
  z.object({
    kind: z.literal("limit"),
    symbol: z.string().max(12),
    orderId: id,
    accountId: id,
    side: z.enum(["buy", "sell"]),
    price: decimal,
    quantity: decimal,
  }),
  z.object({
    kind: z.literal("market"),
    symbol: z.string().max(12),
    orderId: id,
    accountId: id,
    side: z.enum(["buy", "sell"]),
    quantity: decimal,
  }),
  z.object({ kind: z.literal("cancel"), symbol: z.string().max(12), orderId: id, accountId: id }),
]);
export type OrderInput = z.output<typeof orderInput>;

/** `price` in units of 10^-priceDecimals, `quantity` in units of 10^-quantityDecimals; 0 where not used. */
export type Order = {
  kind: "limit" | "market" | "cancel";
  symbol: string;
  orderId: string;
  accountId: string;
  side: "buy" | "sell" | null;
  price: number;
  quantity: number;
};

/** @throws AppError BAD_REQUEST that names the field and says what would be right */
export function readOrder(input: OrderInput, symbols: ReadonlyMap<string, TradedSymbol>): Order {
  const spec = symbols.get(input.symbol);
  if (!spec) throw new AppError("BAD_REQUEST", `There is no symbol “${input.symbol}”.`, { rule: "symbol" });
  const { kind, symbol, orderId, accountId } = input;
  if (kind === "cancel") return { kind, symbol, orderId, accountId, side: null, price: 0, quantity: 0 };
  const quantity = amount("quantity", input.quantity, spec.quantityDecimals);
  const price = kind === "limit" ? amount("price", input.price, spec.priceDecimals) : 0;
  return { kind, symbol, orderId, accountId, side: input.side, price, quantity };
}

function amount(name: "price" | "quantity", text: string, decimals: number): number {
  const units = readDecimal(text, decimals);
  if (units !== null) return units;
  throw new AppError(
    "BAD_REQUEST",
    `The ${name} “${text}” is not a positive decimal with at most ${decimals} decimals, up to ${10 ** (15 - decimals)}.`,
    { rule: name },
  );
}
