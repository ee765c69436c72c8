import { formatDecimal, MAX_UNITS } from "../../../domain/orders/order-decimal";
import { MAX_DECIMALS } from "../../../domain/orders/symbol-listing";
import { SYMBOL_PATTERN } from "../../../domain/orders/symbol-pattern";
import type { AddSymbolInput } from "../contract";
import { formatCount } from "../parts/format";

/** The fields as typed. */
export type AddSymbolDraft = {
  symbol: string;
  priceDecimals: string;
  quantityDecimals: string;
  reason: string;
};

export const EMPTY_SYMBOL: AddSymbolDraft = {
  symbol: "",
  priceDecimals: "2",
  quantityDecimals: "8",
  reason: "",
};

export function addSymbolProblem(draft: AddSymbolDraft): string | undefined {
  if (!SYMBOL_PATTERN.test(nameOf(draft)))
    return "Type a symbol of 1 to 12 capital letters and digits. The first one is a letter.";
  if (readDecimals(draft.priceDecimals) === null || readDecimals(draft.quantityDecimals) === null)
    return `Type decimals from 0 to ${MAX_DECIMALS}.`;
  return draft.reason.trim() === "" ? "Write the reason first." : undefined;
}

/** Of a draft without a problem. */
export function addSymbolInput(draft: AddSymbolDraft): AddSymbolInput {
  return {
    symbol: nameOf(draft),
    priceDecimals: Number(draft.priceDecimals),
    quantityDecimals: Number(draft.quantityDecimals),
    reason: draft.reason.trim(),
  };
}

/** The smallest and the largest amount with so many decimals; null when they can't be read. */
export function amountRange(decimals: string): string | null {
  const read = readDecimals(decimals);
  return read === null ? null : `${formatDecimal(1, read)} to ${formatCount(MAX_UNITS / 10 ** read)}`;
}

const nameOf = ({ symbol }: AddSymbolDraft) => symbol.trim().toUpperCase();

function readDecimals(text: string): number | null {
  const value = /^\d{1,2}$/.test(text.trim()) ? Number(text) : Number.NaN;
  return value <= MAX_DECIMALS ? value : null;
}
