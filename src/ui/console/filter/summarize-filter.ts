import type { FilterStatus, MapCell } from "../contract";
import type { State } from "../parts/state-badge";
import { worstState } from "../parts/summary-state";
import { slotsOf } from "./slots";

export type Part = { title: string; state: State; text: string };
export type FilterSummaryState = { state: State; word: string; parts: Part[] };

/** Servers report the version that they follow about twice a second. */
const SILENT_MS = 5_000;

/** The active version, its shards and the servers that follow it. The state is that of the worst part. */
export function summarizeFilter(
  status: FilterStatus,
  cells: readonly MapCell[] | undefined,
): FilterSummaryState {
  const { active, candidate } = slotsOf(status);
  if (!active) {
    const next = candidate ? ` v${candidate.version} is ${candidate.state}.` : "";
    const word = `No version is active: every check asks the database.${next}`;
    return { state: "warning", word, parts: [] };
  }
  const name = `v${active.version}`;
  const pointer = pointerPart(status, active.version);
  const shards = shardsPart(cells);
  const servers = serversPart(status, active.version);
  const parts = [pointer, shards, servers];
  const state = worstState(parts);
  const problems: [Part, State, string][] = [
    [shards, "critical", `${name} is active, but incomplete: ${shards.text}`],
    [pointer, "warning", `${name} is active, but the pointer names ${pointer.text}`],
    [servers, "warning", `${name} is active; not every server follows it`],
    [shards, "warning", `${name} is active; some of its shards are full`],
    [pointer, "unknown", `${name} is active, but its pointer is unknown`],
    [servers, "unknown", `${name} is active; no server reports its version`],
    [shards, "unknown", `${name} is active; the state of its shards is unknown`],
  ];
  // The word is that of the worst part, so that it agrees with the colour.
  const problem = problems.find(([part, at]) => at === state && part.state === at);
  const healthy = `${name} is active: ${shards.text} shards, followed by every server`;
  return { state, word: problem?.[2] ?? healthy, parts };
}

function pointerPart({ pointer }: FilterStatus, active: number): Part {
  const title = "Pointer";
  if (!pointer) return { title, state: "unknown", text: "unknown" };
  return { title, state: pointer.version === active ? "ok" : "warning", text: `v${pointer.version}` };
}

/** Whether all shards of one version have their sentinel and room. */
export function shardsPart(cells: readonly MapCell[] | undefined): Part {
  const title = "Shards";
  if (!cells) return { title, state: "unknown", text: "unknown" };
  const count = (...states: MapCell["state"][]) => cells.filter(({ state }) => states.includes(state)).length;
  const broken = count("missing", "mismatched", "open");
  if (broken > 0) return { title, state: "critical", text: `${broken} of 256 broken` };
  const silent = count("unreachable");
  if (silent > 0) return { title, state: "unknown", text: `${silent} of 256 do not answer` };
  const full = count("full");
  if (full > 0) return { title, state: "warning", text: `${full} of 256 full` };
  return { title, state: "ok", text: "256 of 256" };
}

function serversPart({ readers, pointer }: FilterStatus, active: number): Part {
  const title = "Following servers";
  if (readers.length === 0) return { title, state: "unknown", text: "–" };
  const following = readers.filter(
    ({ version, revision, ageMs }) =>
      version === active && ageMs <= SILENT_MS && (!pointer || revision === pointer.revision),
  );
  const text = `${following.length} of ${readers.length}`;
  return { title, state: following.length === readers.length ? "ok" : "warning", text };
}
