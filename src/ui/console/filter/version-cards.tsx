import type { FilterStatus, VersionStatus } from "../contract";
import { PermittedButton } from "../parts/permitted-button";
import { AskButton, type OnAsk } from "./ask-button";
import { rebuildBlocked } from "./disabled-reason";
import { slotsOf } from "./slots";
import type { FilterMap } from "./use-filter-maps";
import { VersionCard } from "./version-card";

type VersionCardsProps = {
  status: FilterStatus;
  maps: readonly FilterMap[];
  onAsk: OnAsk;
  onRebuild: () => void;
};

/** The rollout's three versions side by side, each with what can be done about it. */
export function VersionCards({ status, maps, onAsk, onRebuild }: VersionCardsProps) {
  const { active, candidate, previous } = slotsOf(status);
  const common = { status, onAsk };
  const cellsOf = (version?: VersionStatus) => maps.find(map => map.version === version?.version)?.cells;
  const { everyHours } = status.schedule;
  return (
    <div className="version-cards">
      <VersionCard
        slot="Answers"
        version={active}
        cells={cellsOf(active)}
        empty={{
          title: "No version answers",
          text: "Checks are answered by the database. The first version is promoted by itself once it is verified.",
        }}
      >
        {active && (
          <AskButton {...common} ask="verify" of={active}>
            Verify v{active.version} again
          </AskButton>
        )}
      </VersionCard>
      <VersionCard
        slot="Candidate"
        version={candidate}
        cells={cellsOf(candidate)}
        empty={{
          title: "No candidate",
          text: everyHours
            ? `The next rebuild begins by itself, ${everyHours} h after the last one.`
            : "A rebuild makes one from the database, while readers stay where they are.",
        }}
      >
        {candidate ? (
          <>
            <AskButton {...common} ask="promote" of={candidate} look="btn-primary">
              Promote v{candidate.version}
            </AskButton>
            <AskButton {...common} ask="setTraffic" of={candidate}>
              Compare & canary
            </AskButton>
            {candidate.armedUntil ? (
              <AskButton {...common} ask="disarm" of={candidate}>
                Disarm
              </AskButton>
            ) : (
              <AskButton {...common} ask="arm" of={candidate}>
                Arm
              </AskButton>
            )}
            <AskButton {...common} ask="verify" of={candidate}>
              Verify again
            </AskButton>
            <AskButton {...common} ask="cancel" of={candidate} look="btn-danger">
              Cancel v{candidate.version}
            </AskButton>
          </>
        ) : (
          <PermittedButton
            action="filter.rebuild"
            className="btn btn-primary"
            blocked={rebuildBlocked(status)}
            onClick={onRebuild}
          >
            Rebuild the filter
          </PermittedButton>
        )}
      </VersionCard>
      <VersionCard
        slot={previous?.failure ? "Left because of a fault" : "Kept for rollback"}
        version={previous}
        cells={cellsOf(previous)}
        empty={{
          title: "No way back",
          text: active
            ? `Nothing is kept beside v${active.version}. A promotion keeps the version before it.`
            : "There has been no version before.",
        }}
      >
        {previous && (
          <>
            <AskButton {...common} ask="promote" of={previous}>
              Promote v{previous.version} again
            </AskButton>
            <AskButton {...common} ask="verify" of={previous}>
              Verify again
            </AskButton>
            <AskButton {...common} ask="retire" of={previous} look="btn-danger">
              Retire v{previous.version}
            </AskButton>
          </>
        )}
      </VersionCard>
    </div>
  );
}
