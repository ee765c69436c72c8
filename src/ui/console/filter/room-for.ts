import type { RebuildPlan } from "../contract";

/** `unknown`: a server does not say how much it may use, so nobody can say that there is room. */
export function roomFor({ masters }: Pick<RebuildPlan, "masters">): "room" | "unknown" {
  return masters.length > 0 && masters.every(({ hasRoom }) => hasRoom === true) ? "room" : "unknown";
}
