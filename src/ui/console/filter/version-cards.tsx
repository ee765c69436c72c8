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
  const common = { status, onChange };
  const cellsOf = (version?: VersionStatus) => maps.find(map => map.version === version?.version)?.cells;
  const { everyHours } = status.schedule;
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
        empty={{
          title: "No candidate",
          text: everyHours
            ? `The next rebuild starts automatically, ${everyHours} h after the last one.`
            : "A rebuild makes one from the database. Readers are not affected.",
        }}
      >
        {candidate ? (
          <>
            <ChangeButton {...common} change="promote" of={candidate} variant="btn-primary">
              Promote v{candidate.version}
            </ChangeButton>
            <ChangeButton {...common} change="setTraffic" of={candidate}>
              Set traffic
            </ChangeButton>
            {candidate.armedUntil ? (
              <ChangeButton {...common} change="disarm" of={candidate}>
                Disarm
              </ChangeButton>
            ) : (
              <ChangeButton {...common} change="arm" of={candidate}>
                Arm
              </ChangeButton>
            )}
            <ChangeButton {...common} change="verify" of={candidate}>
              Verify again
            </ChangeButton>
            <ChangeButton {...common} change="cancel" of={candidate} variant="btn-danger">
              Cancel v{candidate.version}
            </ChangeButton>
          </>
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
        empty={{
          title: "No previous version",
          text: active
            ? `There is no version to roll back to. The next promotion keeps v${active.version} here.`
            : "A promotion keeps the version before it here.",
        }}
      >
        {previous && (
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
        )}
      </VersionCard>
    </div>
  );
}
