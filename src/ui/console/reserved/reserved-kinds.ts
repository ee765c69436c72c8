import type { ReservedKind } from "../contract";

export const KINDS: readonly ReservedKind[] = ["exact", "contains", "skeleton"];

/** The names that each kind refuses. */
export const KIND_TEXTS: Record<ReservedKind, string> = {
  exact: "only this name",
  contains: "every name with this in it, or with what looks like it",
  skeleton: "this name, names that look like it, such as adm1n for admin, and names made of such words",
};
