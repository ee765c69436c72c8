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

/** Sealed and full shards have their sentinel, so their 0 counts. */
export const isProven = ({ state }: MapCell): boolean => state === "sealed" || state === "full";

/** One sign per state except "sealed", so that colour alone marks no state. */
export const STATE_SIGNS: Record<MapCell["state"], string> = {
  sealed: "",
  full: "!",
  open: "○",
  missing: "×",
  mismatched: "≠",
  unreachable: "?",
};

export const STATE_TEXTS: Record<MapCell["state"], string> = {
  sealed: "Loaded, with the right parameters and its sentinel: its 0 counts.",
  full: "Takes no more names. The database answers for names that came later.",
  open: "Being filled, without a sentinel: readers ask the database.",
  missing: "The key is gone: readers ask the database, and the worker repairs the shard.",
  mismatched: "The key has other contents: readers ask the database, and the worker repairs the shard.",
  unreachable: "Redis did not answer for this shard, so its state is unknown.",
};

export type Scale = {
  /** The values of the darkest and the brightest colour. */
  ends: [string, string];
  /** From 0 to 1; null where there is no data. */
  levelOf: (cell: MapCell) => number | null;
  textOf: (cell: MapCell) => string;
};

const HOUR_MS = 3_600_000;
const ratio = (value: number) => Math.min(1, Math.max(0, value));

/** How a layer turns a shard into a colour and a text. `errorRate` is the configured one. */
export function scaleOf(layer: Layer, cells: readonly MapCell[], errorRate: number, now: number): Scale {
  switch (layer) {
    case "fill":
      return {
        ends: ["0 %", "100 % full"],
        levelOf: ({ fill }) => fill && ratio(fill),
        textOf: ({ fill }) => (fill === null ? "fill unknown" : `${formatFill(fill)} full`),
      };
    case "rate":
      return {
        ends: ["none", `${formatRate(errorRate)}, as configured`],
        levelOf: ({ falsePositiveRate: rate }) => rate && ratio(rate / errorRate),
        textOf: ({ falsePositiveRate: rate }) =>
          rate === null ? "false positives unknown" : `${formatRate(rate)} false positives`,
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

/** From now to the oldest shard, at least one hour, so that repaired shards stand out. */
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
      return age === null ? "age unknown" : `made ${formatAge(age)} ago`;
    },
  };
}

function formatAge(ms: number): string {
  const minutes = Math.round(ms / 60_000);
  if (minutes < 120) return `${minutes} min`;
  const hours = Math.round(ms / HOUR_MS);
  return hours < 48 ? `${hours} h` : `${Math.round(hours / 24)} d`;
}
