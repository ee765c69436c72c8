import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { consoleApi } from "../console-api";
import type { SymbolRow } from "../contract";
import { type Confirmation, ConfirmDialog } from "../parts/confirm-dialog";
import { formatCount } from "../parts/format";

export type ListingRequest = "halt" | "resume" | "delist";

type ListingDialogProps = { request: ListingRequest; row: SymbolRow; onClose: () => void };

const PENDING_INTERVAL_MS = 2_000;

/** Halts, resumes or delists a symbol. */
export function ListingDialog({ request, row, onClose }: ListingDialogProps) {
  // The change refers to the row that the trader decided on, not to a newer one.
  const [seen] = useState(row);
  const { symbol } = seen;
  const pending = useQuery({
    queryKey: ["symbol.pending", symbol],
    queryFn: ({ signal }) => consoleApi.symbol.pending.query({ symbol }, { signal }),
    refetchInterval: PENDING_INTERVAL_MS,
    staleTime: 0,
  });
  const problem = problemOf(request, seen, pending.data?.problem, pending.error !== null);
  const wasChanged = row.listingVersion !== seen.listingVersion;
  const confirmation: Confirmation = {
    ...TEXTS[request](seen),
    action: `symbol.${request}`,
    details: <PendingFacts pending={pending.data} isUnknown={pending.error !== null} />,
    disabledReason: wasChanged
      ? "Another user changed the listing. Close this and look at the new state."
      : problem,
    run: reason =>
      consoleApi.symbol[request].mutate({ symbol, expectedVersion: seen.listingVersion, reason }),
    refresh: ["symbol.page", "symbol.pending"],
  };
  return <ConfirmDialog confirmation={confirmation} onClose={onClose} />;
}

type Texts = Pick<
  Confirmation,
  "title" | "verb" | "consequence" | "reach" | "typedName" | "done" | "reasonLabel"
>;

const TEXTS: Record<ListingRequest, (row: SymbolRow) => Texts> = {
  halt: ({ symbol }) => ({
    title: `Halt ${symbol}`,
    verb: `Halt ${symbol}`,
    consequence: `Every server refuses new orders of ${symbol} within a second, and tells clients the reason. Orders on their way are still matched, and cancels are accepted.`,
    reasonLabel: "Reason, for clients and the audit log",
    reach: "large",
    done: `${symbol} is halted`,
  }),
  resume: ({ symbol, halt }) => ({
    title: `Resume ${symbol}`,
    verb: `Resume ${symbol}`,
    consequence: `${symbol} was halted${halt ? ` by ${halt.by}: ${halt.reason}` : ""}. Every server accepts its orders again within a second; open orders can trade at once.`,
    reach: "small",
    done: `${symbol} trades again`,
  }),
  delist: ({ symbol, priceDecimals, quantityDecimals }) => ({
    title: `Delist ${symbol}`,
    verb: `Delist ${symbol}`,
    consequence: `${symbol} leaves every list, and its orders are refused. Its balances, orders and trades stay stored. It can be added again, with ${priceDecimals} price decimals and ${quantityDecimals} quantity decimals.`,
    reach: "large",
    typedName: symbol,
    done: `${symbol} is delisted`,
  }),
};

function problemOf(
  request: ListingRequest,
  { symbol, halt }: SymbolRow,
  delistProblem: string | null | undefined,
  isUnknown: boolean,
): string | undefined {
  if (request === "halt") return halt ? `${symbol} is halted already.` : undefined;
  if (!halt) return `${symbol} is not halted.`;
  if (request === "resume") return undefined;
  if (isUnknown) return "Whether orders are on their way is unknown: the server does not answer.";
  return delistProblem === undefined ? "Wait for the count of its orders." : (delistProblem ?? undefined);
}

type PendingFactsProps = {
  pending: { openOrders: number; behind: number | null } | undefined;
  isUnknown: boolean;
};

function PendingFacts({ pending, isUnknown }: PendingFactsProps) {
  const text = (value: number | null | undefined) =>
    isUnknown || value === null ? "unknown" : value === undefined ? "…" : formatCount(value);
  return (
    <dl className="facts">
      <dt>Open orders</dt>
      <dd>{text(pending?.openOrders)}</dd>
      <dt>Not matched yet</dt>
      <dd>{text(pending?.behind)}</dd>
    </dl>
  );
}
