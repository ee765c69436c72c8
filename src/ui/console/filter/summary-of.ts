import type { FilterStatus, MapCell } from "../contract";
import type { State } from "../parts/state-badge";
import { slotsOf } from "./slots";

export type Part = { title: string; state: State; text: string };
export type StatusSummary = { state: State; word: string; parts: Part[] };

/** A server says twice a second or so which version it follows. */
const QUIET_MS = 5_000;

/** Which version answers, is it whole, do all servers follow: the worst part names the whole. */
export function summaryOf(status: FilterStatus, cells: readonly MapCell[] | undefined): StatusSummary {
  const { active, candidate } = slotsOf(status);
  if (!active) {
    const next = candidate ? ` v${candidate.version} is ${candidate.state}.` : "";
    const word = `No version answers: every check asks the database.${next}`;
    return { state: "warning", word, parts: [] };
  }
  const name = `v${active.version}`;
  const parts = [pointerPart(status, active.version), shardsPart(cells), serversPart(status, active.version)];
  const [pointer, shards, servers] = parts as [Part, Part, Part];
  const problems = [
    pointer.state !== "ok" && `${name} is active, but what readers are told is ${pointer.text}`,
    shards.state === "critical" && `${name} answers, but it is not whole: ${shards.text}`,
    servers.state !== "ok" && `${name} answers; not every server is known to follow it`,
    shards.state === "warning" && `${name} answers; some of its shards are full`,
    shards.state === "unknown" && `${name} answers; whether it is whole is not known`,
  ];
  const word = problems.find(Boolean) || `${name} answers, whole, and every server follows it`;
  return { state: worst(parts), word, parts };
}

function pointerPart({ pointer }: FilterStatus, active: number): Part {
  const title = "Readers are told";
  if (!pointer) return { title, state: "unknown", text: "not known" };
  return { title, state: pointer.version === active ? "ok" : "warning", text: `v${pointer.version}` };
}

/** Whether all shards of one version prove themselves. */
export function shardsPart(cells: readonly MapCell[] | undefined): Part {
  const title = "Shards";
  if (!cells) return { title, state: "unknown", text: "not known" };
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
  const title = "Servers that follow";
  if (readers.length === 0) return { title, state: "unknown", text: "none seen" };
  const follows = readers.filter(
    ({ version, revision, ageMs }) =>
      version === active && ageMs <= QUIET_MS && (!pointer || revision === pointer.revision),
  );
  const text = `${follows.length} of ${readers.length}`;
  return { title, state: follows.length === readers.length ? "ok" : "warning", text };
}

const ORDER: readonly State[] = ["ok", "unknown", "warning", "critical"];

function worst(parts: readonly Part[]): State {
  return parts.reduce<State>(
    (state, part) => (ORDER.indexOf(part.state) > ORDER.indexOf(state) ? part.state : state),
    "ok",
  );
}
