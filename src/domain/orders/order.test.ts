import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { packOrder, unpackOrder } from "../../store/codec/order-payload";
import { AppError } from "../app-error";
import { type Order, orderInput, readOrder } from "./order";
import { formatDecimal, MAX_UNITS, readDecimal } from "./order-decimal";

const SYMBOLS = new Map([["DOGE", { symbol: "DOGE", priceDecimals: 5, quantityDecimals: 2 }]]);
const limit = {
  kind: "limit" as const,
  symbol: "DOGE",
  orderId: "o1",
  accountId: "a1",
  side: "buy" as const,
  price: "0.07312",
  quantity: "100",
};

describe("decimals", () => {
  it("are exact both ways", () => {
    const places = fc.integer({ min: 0, max: 12 });
    fc.assert(
      fc.property(fc.integer({ min: 1, max: MAX_UNITS }), places, (units, decimals) => {
        expect(readDecimal(formatDecimal(units, decimals), decimals)).toBe(units);
      }),
    );
  });

  it.each([
    "0",
    "-1",
    "1e3",
    "1.",
    ".5",
    "01",
    "1,5",
    " 1",
    "NaN",
    "0.000001",
    "9".repeat(40),
    "1".repeat(16),
  ])("refuses %s", text => expect(readDecimal(text, 5)).toBeNull());
});

describe("an order", () => {
  it("is read into whole units", () => {
    expect(readOrder(limit, SYMBOLS)).toMatchObject({ price: 7312, quantity: 10_000 });
  });

  it.each([
    ["an unknown symbol", { symbol: "SHIB" }, /no symbol “SHIB”/],
    ["a negative quantity", { quantity: "-5" }, /quantity “-5” is not a positive decimal/],
    ["a quantity of 40 digits", { quantity: "1".repeat(40) }, /not a positive decimal/],
    ["too many decimals", { price: "0.1234567" }, /at most 5 decimals/],
  ])("with %s is refused in words", (_, change, message) => {
    expect(() => readOrder({ ...limit, ...change }, SYMBOLS)).toThrow(message);
    expect(() => readOrder({ ...limit, ...change }, SYMBOLS)).toThrow(AppError);
  });

  it.each([
    { orderId: "" },
    { orderId: "x".repeat(37) },
    { orderId: "a\u0000b" },
    { accountId: "__proto__ " },
    { quantity: 5 },
    { side: "hold" },
    { kind: "stop" },
  ])("of the wrong shape is refused by the schema: %j", change => {
    expect(orderInput.safeParse({ ...limit, ...change }).success).toBe(false);
  });

  it("survives packing", () => {
    const whole = fc.integer({ min: 1, max: MAX_UNITS });
    const id = fc.stringMatching(/^[A-Za-z0-9_-]{1,36}$/);
    const who = { symbol: fc.constant("DOGE"), orderId: id, accountId: id };
    const side = fc.constantFrom("buy" as const, "sell" as const);
    const zero = fc.constant(0);
    const kind = <Kind extends Order["kind"]>(name: Kind) => fc.constant(name);
    const order = fc.oneof(
      fc.record({ kind: kind("limit"), ...who, side, price: whole, quantity: whole }),
      fc.record({ kind: kind("market"), ...who, side, price: zero, quantity: whole }),
      fc.record({ kind: kind("cancel"), ...who, side: fc.constant(null), price: zero, quantity: zero }),
    );
    fc.assert(
      fc.property(order, (o: Order) => {
        expect(unpackOrder(packOrder(o), "DOGE")).toEqual(o);
      }),
    );
  });

  it("of another schema version is no order", () => {
    const bytes = packOrder(readOrder(limit, SYMBOLS));
    bytes[1] = 9;
    expect(() => unpackOrder(bytes, "DOGE")).toThrow("unknown order version 9");
    expect(() => unpackOrder(Buffer.from([0xc0]), "DOGE")).toThrow();
  });

  it.each<[string, Partial<Order>]>([
    ["nothing to buy", { quantity: 0 }],
    ["a limit of zero", { price: 0 }],
    ["no side", { side: null }],
    ["a side on a cancel", { kind: "cancel", price: 0, quantity: 0 }],
    ["an id with a NUL", { orderId: "a\u0000b" }],
    ["an empty account", { accountId: "" }],
  ])("that an unregistered producer wrote with %s is malformed, and no book sees it", (_, change) => {
    const order: Order = {
      kind: "limit",
      symbol: "DOGE",
      orderId: "o1",
      accountId: "alice",
      side: "buy",
      price: 5,
      quantity: 5,
    };
    expect(unpackOrder(packOrder(order), "DOGE")).toEqual(order);
    expect(() => unpackOrder(packOrder({ ...order, ...change }), "DOGE")).toThrow("malformed order");
  });
});
