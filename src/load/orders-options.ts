import { parseArgs } from "node:util";
import { SYMBOL_PATTERN } from "../domain/orders/order";
import { isLoopback } from "./options";

export type OrdersOptions = { url: string; symbol: string; rate: number; seconds: number };

export const ORDERS_USAGE = `npm run load -- orders [options]
  --url URL          where the server listens (http://localhost:3000)
  --symbol SYMBOL    whose orders (DOGE)
  --rate N           orders per second (500, at most 20000)
  --seconds N        how long (60)
  --allow-remote     the server is on another machine, and its owner agrees
Environment: FLOODGATE_TOKEN, a service token of the console with the scope orders.submit.
The server's quota of ORDERS_PER_SECOND per client holds for it, too.`;

/** @throws Error with what is wrong in words */
export function readOrdersOptions(args: string[]): OrdersOptions {
  const text = (fallback: string) => ({ type: "string" as const, default: fallback });
  const options = {
    url: text("http://localhost:3000"),
    symbol: text("DOGE"),
    rate: text("500"),
    seconds: text("60"),
    "allow-remote": { type: "boolean" as const, default: false },
  };
  const { values } = parseArgs({ args, allowPositionals: true, options });
  const { symbol } = values;
  if (!SYMBOL_PATTERN.test(symbol)) throw new Error(`--symbol ${symbol} is no symbol.`);
  const url = URL.canParse(values.url) ? new URL(values.url) : null;
  if (!url || !/^https?:$/.test(url.protocol)) throw new Error(`--url ${values.url} is not an http address.`);
  if (!values["allow-remote"] && !isLoopback(url.hostname))
    throw new Error(`${url.hostname} is not this machine. That takes its owner's leave and --allow-remote.`);
  const number = (name: "rate" | "seconds", max: number) => {
    const value = Number(values[name]);
    if (Number.isInteger(value) && value >= 1 && value <= max) return value;
    throw new Error(`--${name} ${values[name]} is not a whole number from 1 to ${max}.`);
  };
  return { url: url.origin, symbol, rate: number("rate", 20_000), seconds: number("seconds", 86_400) };
}
