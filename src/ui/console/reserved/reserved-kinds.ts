import type { ReservedKind } from "../contract";

export const KINDS: readonly ReservedKind[] = ["exact", "contains", "skeleton"];

/** What each kind refuses, for the person who has to choose one. */
export const KIND_TEXTS: Record<ReservedKind, string> = {
  exact: "only this name",
  contains: "every name with this in it",
  skeleton: "this name and what looks like it, as adrnin for admin",
};
