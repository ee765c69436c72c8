import type { State } from "./state-badge";

const ORDER: readonly State[] = ["ok", "unknown", "warning", "critical"];

/** The state of a summary: the worst of its parts. A part without a state is neither good nor bad. */
export function worstState(parts: readonly { state?: State }[]): State {
  const worst = Math.max(0, ...parts.map(({ state = "ok" }) => ORDER.indexOf(state)));
  return ORDER[worst]!;
}

/** The summary of figures that are no longer read. */
export const OUT_OF_DATE: { state: State; word: string } = {
  state: "unknown",
  word: "Out of date: the server does not answer",
};
