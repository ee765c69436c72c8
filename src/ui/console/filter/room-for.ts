import type { RebuildPlan } from "../contract";

/** `unknown`: a master reports no memory limit, so its free memory is not known. */
export function roomFor({ masters }: Pick<RebuildPlan, "masters">): "room" | "unknown" {
  return masters.length > 0 && masters.every(({ hasRoom }) => hasRoom === true) ? "room" : "unknown";
}
