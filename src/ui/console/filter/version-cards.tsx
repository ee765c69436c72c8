import type { FilterStatus, VersionStatus } from "../contract";
import { PermittedButton } from "../parts/permitted-button";
import { ChangeButton, type OnChange } from "./change-button";
import { rebuildDisabledReason } from "./filter-change";
import { slotsOf } from "./slots";
import type { FilterMap } from "./use-filter-maps";
import { VersionCard } from "./version-card";

type VersionCardsProps = {
  status: FilterStatus;
  maps: readonly FilterMap[];
  onChange: OnChange;
  onRebuild: () => void;
};

/** The three versions of the rollout side by side, each with its actions. */
export function VersionCards({ status, maps, onChange, onRebuild }: VersionCardsProps) {
  const { active, candidate, previous } = slotsOf(status);
  const cellsOf = (version?: VersionStatus) => maps.find(map => map.version === version?.version)?.cells;
  const common = { status, onChange };
  return (
    <div className="version-cards">
      <VersionCard
        slot="Active"
        version={active}
        cells={cellsOf(active)}
        empty={{
          title: "No active version",
          text: "The database answers the checks. The first version is promoted automatically once it is verified.",
        }}
      >
        {active && (
          <ChangeButton {...common} change="verify" of={active}>
            Verify v{active.version} again
          </ChangeButton>
        )}
      </VersionCard>
      <VersionCard
        slot="Candidate"
        version={candidate}
        cells={cellsOf(candidate)}
        empty={{ title: "No candidate", text: nextRebuildText(status) }}
      >
        {candidate ? (
          <CandidateActions {...common} candidate={candidate} />
        ) : (
          <PermittedButton
            action="filter.rebuild"
            className="btn btn-primary"
            disabledReason={rebuildDisabledReason(status)}
            onClick={onRebuild}
          >
            Rebuild the filter
          </PermittedButton>
        )}
      </VersionCard>
      <VersionCard
        slot={previous?.failure ? "Previous, failed" : "Previous"}
        version={previous}
        cells={cellsOf(previous)}
        empty={{ title: "No previous version", text: nextPreviousText(active) }}
      >
        {previous && <PreviousActions {...common} previous={previous} />}
      </VersionCard>
    </div>
  );
}

function nextRebuildText({ schedule: { everyHours } }: FilterStatus): string {
  return everyHours
    ? `The next rebuild starts automatically, ${everyHours} h after the last one.`
    : "A rebuild makes one from the database. Readers are not affected.";
}

function nextPreviousText(active?: VersionStatus): string {
  return active
    ? `There is no version to roll back to. The next promotion keeps v${active.version} here.`
    : "A promotion keeps the version before it here.";
}

type ActionsProps = Pick<VersionCardsProps, "status" | "onChange">;

function CandidateActions({ candidate, ...common }: ActionsProps & { candidate: VersionStatus }) {
  return (
    <>
      <ChangeButton {...common} change="promote" of={candidate} variant="btn-primary">
        Promote v{candidate.version}
      </ChangeButton>
      <ChangeButton {...common} change="setTraffic" of={candidate}>
        Set traffic
      </ChangeButton>
      <ChangeButton {...common} change={candidate.armedUntil ? "disarm" : "arm"} of={candidate}>
        {candidate.armedUntil ? "Disarm" : "Arm"}
      </ChangeButton>
      <ChangeButton {...common} change="verify" of={candidate}>
        Verify again
      </ChangeButton>
      <ChangeButton {...common} change="cancel" of={candidate} variant="btn-danger">
        Cancel v{candidate.version}
      </ChangeButton>
    </>
  );
}

function PreviousActions({ previous, ...common }: ActionsProps & { previous: VersionStatus }) {
  return (
    <>
      <ChangeButton {...common} change="promote" of={previous}>
        Promote v{previous.version} again
      </ChangeButton>
      <ChangeButton {...common} change="verify" of={previous}>
        Verify again
      </ChangeButton>
      <ChangeButton {...common} change="retire" of={previous} variant="btn-danger">
        Retire v{previous.version}
      </ChangeButton>
    </>
  );
}
