import type { VersionStatus } from "../contract";

/** What is chosen in a dialog before it is confirmed. */
export type Draft = {
  /** Do without the comparison of reads, when it has no data. */
  waive: boolean;
  shadowPercent: number;
  canaryPercent: number;
  minutes: number;
  scope: "sample" | "every-row";
  everyHours: number | null;
};

/** As the version, and the schedule, are now. */
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
