import { blockingGates, type Gate } from "../../../domain/filter/filter-gates";
import type { ConsoleClient } from "../contract";
import type { Confirmation } from "../parts/confirm-dialog";
import { type About, REFRESH } from "./filter-changes";
import { slotsOf } from "./slots";

/** `me` is the name of whoever decides: with two approvals nobody is both of them. */
export function promote(api: Pick<ConsoleClient, "filter">, about: About & { me: string }): Confirmation {
  const { status, of, draft, me } = about;
  const { version, approvedBy } = of;
  const waive = draft.waive ? (["shadow"] as const) : [];
  const isFirstOfTwo = status.approvals > 1 && approvedBy === null;
  return {
    title: `Promote v${version}`,
    consequence: isFirstOfTwo
      ? `Two people must agree. You are the first: readers stay where they are until somebody else promotes v${version} as well.`
      : outcome(about),
    reach: isFirstOfTwo ? "small" : "large",
    verb: isFirstOfTwo ? `Agree to v${version}` : `Promote v${version}`,
    blocked:
      status.approvals > 1 && approvedBy === me
        ? "You have agreed already; another person must do so as well."
        : gatesBlock(blockingGates(of.gates, waive)),
    run: reason =>
      api.filter.promote.mutate({ version, revision: status.revision, waive: [...waive], reason }),
    done: isFirstOfTwo ? `You agreed to v${version}; one more must` : `Readers follow v${version}`,
    refresh: REFRESH,
  };
}

/** Who answers, who is kept, and who goes. */
function outcome({ status, of: { version, approvedBy } }: About): string {
  const { active, previous } = slotsOf(status);
  const kept = active ? ` v${active.version} is kept for rollback.` : "";
  const goes = previous && previous.version !== version ? ` v${previous.version} will be retired.` : "";
  const agreed = approvedBy ? `${approvedBy} has agreed. ` : "";
  const watch = active ? " It is watched for a while and goes back by itself if something is wrong." : "";
  return `${agreed}Every server follows v${version} within a second.${kept}${goes}${watch}`;
}

function gatesBlock(gates: readonly Gate[]): string | undefined {
  const [first, ...rest] = gates;
  if (!first) return undefined;
  const more = rest.length > 0 ? `, and ${rest.length} more` : "";
  const what = first.verdict === "fail" ? "fails" : "has no data";
  const help =
    first.name === "shadow"
      ? first.verdict === "no data"
        ? "Compare more reads, or promote without it."
        : "Look at the missed names before anything else."
      : "Verify it again, or wait for it to pass.";
  return `A gate ${what}: ${first.title}${more}. ${help}`;
}
