import { Flame, Snowflake } from "lucide-react";
import { evidenceText } from "../../../domain/orders/split-suggestion";
import type { Suggestion, SymbolPage } from "../contract";
import { Countdown } from "../parts/countdown";
import { PermittedButton } from "../parts/permitted-button";
import { StateBadge } from "../parts/state-badge";
import { useNow } from "../parts/use-now";
import type { OnRequest } from "./symbol-columns";

/** The current suggestions with their evidence. An empty panel keeps its height, so that the page does not shift. */
export function SuggestionsPanel({ list, onRequest }: { list: SymbolPage; onRequest: OnRequest }) {
  const { proposals, moreProposals, dismissed } = list;
  return (
    <section className="panel mb-3" aria-label="Suggestions">
      {proposals.length === 0 ? (
        <p className="suggestion text-soft">
          {list.watchedAt === null ? (
            <>
              <StateBadge state="unknown" word="Not running" /> No aggregator is running: there are no
              suggestions and no automatic splits.
            </>
          ) : (
            "No suggestions. Symbols are checked every second."
          )}
        </p>
      ) : (
        <ul>
          {proposals.map(one => (
            <Proposed key={one.symbol} {...one} onRequest={onRequest} />
          ))}
        </ul>
      )}
      {(dismissed.length > 0 || moreProposals > 0) && (
        <p className="border-t border-line px-4 py-2 text-[0.8125rem] text-soft">
          {moreProposals > 0 && `${moreProposals} more are marked in the table. `}
          {dismissed.map(({ symbol, suggestion }) => (
            <span key={symbol}>
              {symbol}, {verbOf(suggestion)}: dismissed for{" "}
              <Countdown until={suggestion.dismissedUntil ?? suggestion.since} />.{" "}
            </span>
          ))}
        </p>
      )}
    </section>
  );
}

type ProposedProps = { symbol: string; suggestion: Suggestion; isAutomatic: boolean; onRequest: OnRequest };

function Proposed({ symbol, suggestion, isAutomatic, onRequest }: ProposedProps) {
  const { kind, factor, waitingFor } = suggestion;
  const isSplit = kind === "split";
  const Icon = isSplit ? Flame : Snowflake;
  return (
    <li className="suggestion" data-tone={isSplit ? "critical" : "unknown"}>
      <p className="suggestion-what">
        <Icon size={14} aria-hidden="true" /> {proposalText(symbol, suggestion)}
      </p>
      <p className="min-w-0 grow basis-64 text-[0.8125rem] text-soft">
        <EvidenceText suggestion={suggestion} />
        {isAutomatic &&
          (waitingFor ? ` Automatic mode waits: ${waitingFor}.` : " Automatic mode applies it next.")}
      </p>
      <span className="flex gap-1.5">
        <PermittedButton
          action="symbol.split"
          className="btn btn-primary"
          aria-label={`Review: ${isSplit ? `split ${symbol} by ${factor}` : `cool down ${symbol}`}`}
          onClick={() => onRequest(symbol, isSplit ? "split" : "merge")}
        >
          Review
        </PermittedButton>
        <PermittedButton
          action="symbol.dismiss"
          className="btn btn-quiet"
          aria-label={`Dismiss: ${verbOf(suggestion)} ${symbol}`}
          onClick={() => onRequest(symbol, "dismiss")}
        >
          Dismiss
        </PermittedButton>
      </span>
    </li>
  );
}

const verbOf = ({ kind }: Pick<Suggestion, "kind">) => (kind === "split" ? "split" : "cool down");

/** "Split DOGE by 3" or "Cool down DOGE". */
export const proposalText = (symbol: string, { kind, factor }: Pick<Suggestion, "kind" | "factor">) =>
  kind === "split" ? `Split ${symbol} by ${factor}` : `Cool down ${symbol}`;

/** The evidence of a suggestion, with the time that has passed. */
export function EvidenceText({ suggestion }: { suggestion: Suggestion }) {
  const now = useNow();
  return <>{evidenceText({ ...suggestion, sinceMs: Date.parse(suggestion.since) }, now)}.</>;
}
