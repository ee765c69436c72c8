import type { ReservedKind } from "../contract";

export const KINDS: readonly ReservedKind[] = ["exact", "contains", "skeleton"];

/** The names that each kind refuses. */
export const KIND_TEXTS: Record<ReservedKind, string> = {
  exact: "only this name",
  contains: "every name with this in it",
  skeleton: "this name and names that look like it, as adrnin for admin",
};
