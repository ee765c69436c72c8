import type { VersionStatus } from "../contract";

/** The choices in a dialog before they are confirmed. */
export type Draft = {
  /** Promote without the shadow reads gate, when it has no data. */
  waive: boolean;
  shadowPercent: number;
  canaryPercent: number;
  minutes: number;
  scope: "sample" | "every-row";
  everyHours: number | null;
};

/** The current settings of the version and the schedule. */
export function draftOf(version: VersionStatus | undefined, everyHours: number | null): Draft {
  return {
    waive: false,
    shadowPercent: version?.shadowPercent ?? 0,
    canaryPercent: version?.canaryPercent ?? 0,
    minutes: 60,
    scope: "sample",
    everyHours,
  };
}
