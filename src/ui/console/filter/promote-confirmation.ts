import { blockingGates, type Gate } from "../../../domain/filter/filter-gates";
import type { ConsoleClient } from "../contract";
import type { Confirmation } from "../parts/confirm-dialog";
import { type About, REFRESH } from "./filter-confirmations";
import { slotsOf } from "./slots";

/** @param about `me` is the name of the signed-in user, who can't give both of two approvals */
export function promote(api: Pick<ConsoleClient, "filter">, about: About & { me: string }): Confirmation {
  const { status, of, draft, me } = about;
  const { version, approvedBy } = of;
  const waive = draft.waive ? (["shadow"] as const) : [];
  const isFirstOfTwo = status.approvals > 1 && approvedBy === null;
  return {
    title: `Promote v${version}`,
    consequence: isFirstOfTwo
      ? `Two users must approve. You are the first: readers do not change until another user promotes v${version} as well.`
      : outcome(about),
    reach: isFirstOfTwo ? "small" : "large",
    verb: isFirstOfTwo ? `Approve v${version}` : `Promote v${version}`,
    disabledReason:
      status.approvals > 1 && approvedBy === me
        ? "You have approved already; another user must approve as well."
        : gatesBlock(blockingGates(of.gates, waive)),
    run: reason =>
      api.filter.promote.mutate({ version, revision: status.revision, waive: [...waive], reason }),
    done: isFirstOfTwo
      ? `You approved v${version}; one more approval is needed`
      : `Readers follow v${version}`,
    refresh: REFRESH,
  };
}

/** The next active version, the one kept for rollback, and the one to be retired. */
function outcome({ status, of: { version, approvedBy } }: About): string {
  const { active, previous } = slotsOf(status);
  const kept = active ? ` v${active.version} is kept for rollback.` : "";
  const goes = previous && previous.version !== version ? ` v${previous.version} will be retired.` : "";
  const approved = approvedBy ? `${approvedBy} has approved. ` : "";
  const bake = active ? " It bakes for a while and is rolled back automatically on a fault." : "";
  return `${approved}Every server follows v${version} within a second.${kept}${goes}${bake}`;
}

function gatesBlock(gates: readonly Gate[]): string | undefined {
  const [first, ...rest] = gates;
  if (!first) return undefined;
  const more = rest.length > 0 ? `, and ${rest.length} more` : "";
  const what = first.verdict === "fail" ? "fails" : "has no data";
  const help =
    first.name === "shadow"
      ? first.verdict === "no data"
        ? "Compare more reads, or promote without this gate."
        : "Find out first why names were missed."
      : "Verify it again, or wait for it to pass.";
  return `A gate ${what}: ${first.title}${more}. ${help}`;
}
