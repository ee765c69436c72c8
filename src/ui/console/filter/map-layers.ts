import type { MapCell } from "../contract";
import { formatFill, formatRate } from "./format-rate";

export const LAYERS = ["fill", "rate", "state", "age"] as const;
export type Layer = (typeof LAYERS)[number];

export const LAYER_TITLES: Record<Layer, string> = {
  fill: "Fill",
  rate: "False positives",
  state: "State",
  age: "Age",
};

/** Sealed and full shards prove themselves: their zero counts. */
export const isProven = ({ state }: MapCell): boolean => state === "sealed" || state === "full";

/** One sign per state that is not "sealed", so that no state is told by colour alone. */
export const STATE_SIGNS: Record<MapCell["state"], string> = {
  sealed: "",
  full: "!",
  open: "○",
  missing: "×",
  mismatched: "≠",
  unreachable: "?",
};

export const STATE_TEXTS: Record<MapCell["state"], string> = {
  sealed: "Loaded, with the right parameters and its sentinel: its zero counts.",
  full: "Takes no more names. Names that came later are answered by the database.",
  open: "Being filled, no sentinel yet: readers ask the database.",
  missing: "Its key is gone: readers ask the database, and the worker makes it anew.",
  mismatched: "Something else lies under its key: readers ask the database, and the worker makes it anew.",
  unreachable: "Redis did not answer for this shard, so nothing is known about it.",
};

export type Scale = {
  /** What the darkest and the brightest colour stand for. */
  ends: [string, string];
  /** From 0 to 1; null where there is no data. */
  levelOf: (cell: MapCell) => number | null;
  textOf: (cell: MapCell) => string;
};

const HOUR_MS = 3_600_000;
const ratio = (value: number) => Math.min(1, Math.max(0, value));

/** How a layer turns a shard into a colour and a word. `errorRate` is what the version is made for. */
export function scaleOf(layer: Layer, cells: readonly MapCell[], errorRate: number, now: number): Scale {
  switch (layer) {
    case "fill":
      return {
        ends: ["0 %", "100 % full"],
        levelOf: ({ fill }) => fill && ratio(fill),
        textOf: ({ fill }) => (fill === null ? "fill not known" : `${formatFill(fill)} full`),
      };
    case "rate":
      return {
        ends: ["none", `${formatRate(errorRate)}, as configured`],
        levelOf: ({ falsePositiveRate: rate }) => rate && ratio(rate / errorRate),
        textOf: ({ falsePositiveRate: rate }) =>
          rate === null ? "false positives not known" : `${formatRate(rate)} false positives`,
      };
    case "state":
      return {
        ends: ["", ""],
        levelOf: cell => (isProven(cell) ? 0.5 : null),
        textOf: ({ state }) => state,
      };
    case "age":
      return ageScale(cells, now);
  }
}

/** From new to the oldest shard there is, at least an hour: what was repaired lately stands out. */
function ageScale(cells: readonly MapCell[], now: number): Scale {
  const ageOf = ({ madeAt }: MapCell) => (madeAt === null ? null : Math.max(0, now - Date.parse(madeAt)));
  const oldest = Math.max(HOUR_MS, ...cells.map(cell => ageOf(cell) ?? 0));
  return {
    ends: ["just made", formatAge(oldest)],
    levelOf: cell => {
      const age = ageOf(cell);
      return age && ratio(age / oldest);
    },
    textOf: cell => {
      const age = ageOf(cell);
      return age === null ? "age not known" : `made ${formatAge(age)} ago`;
    },
  };
}

function formatAge(ms: number): string {
  const minutes = Math.round(ms / 60_000);
  if (minutes < 120) return `${minutes} min`;
  const hours = Math.round(ms / HOUR_MS);
  return hours < 48 ? `${hours} h` : `${Math.round(hours / 24)} d`;
}
