import { compareStamps, type Stamp } from "../domain/orders/order-stamp";
import type { OrderedFrame } from "../store/codec/ordered-frame";

/** Whether an order with a stamp was written. `unknown`: the stamp is older than the kept frames. */
export type Found = "yes" | "no" | "unknown";

/** Frames of one ordered stream, each of which may be trimmed at any moment. */
export interface FrameReader {
  oldest(): Promise<OrderedFrame | null>;
  newest(): Promise<OrderedFrame | null>;
  /** The first frame that ends at this position or behind it. */
  at(position: number): Promise<OrderedFrame | null>;
}

/** Neighbours in the stream: everything between them is one frame, or nothing. */
type FrameRange = { from: Stamp; to: Stamp; frame: OrderedFrame | null };

/** A binary search of any stream needs fewer steps. */
const MAX_STEPS = 64;

/**
 * Binary search in the stream, whose frames rise in stamps as in positions. The last frame is cached, so
 * stamps in the same frame cost one search.
 */
export async function findStamps(reader: FrameReader, stamps: readonly Stamp[]): Promise<Found[]> {
  const [oldest, newest] = await Promise.all([reader.oldest(), reader.newest()]);
  if (!oldest || !newest) return stamps.map(() => "unknown");
  const found: Found[] = Array(stamps.length).fill("unknown");
  const rising = [...stamps.keys()].sort((a, b) => compareStamps(stamps[a]!, stamps[b]!));
  let range: FrameRange | null = null;
  for (const index of rising) {
    const stamp = stamps[index]!;
    if (compareStamps(stamp, oldest.stampAt(0)) < 0) {
      found[index] = oldest.firstPosition === 1 ? "no" : "unknown";
      continue;
    }
    if (!range || !covers(range, stamp)) range = await search(reader, stamp, { oldest, newest });
    if (range) found[index] = range.frame && contains(range.frame, stamp) ? "yes" : "no";
  }
  return found;
}

/** Null: frames were trimmed meanwhile. */
async function search(
  reader: FrameReader,
  stamp: Stamp,
  { oldest, newest }: { oldest: OrderedFrame; newest: OrderedFrame },
): Promise<FrameRange | null> {
  let [low, high] = [oldest.firstPosition, lastPosition(newest)];
  const gap = { from: oldest.stampAt(0), to: { ...lastStamp(newest), timeUs: Number.POSITIVE_INFINITY } };
  for (let steps = 0; low <= high && steps < MAX_STEPS; steps += 1) {
    const middle = Math.floor((low + high) / 2);
    const frame = await reader.at(middle);
    if (!frame || frame.firstPosition > middle) return null;
    const [from, to] = [frame.stampAt(0), lastStamp(frame)];
    if (compareStamps(stamp, from) < 0) [high, gap.to] = [frame.firstPosition - 1, from];
    else if (compareStamps(stamp, to) > 0) [low, gap.from] = [lastPosition(frame) + 1, to];
    else return { from, to, frame };
  }
  return { ...gap, frame: null };
}

/** The bounds belong to a frame, but not to a gap between two frames. */
function covers({ from, to, frame }: FrameRange, stamp: Stamp): boolean {
  const [above, below] = [compareStamps(stamp, from), compareStamps(to, stamp)];
  return frame ? above >= 0 && below >= 0 : above > 0 && below > 0;
}

function contains(frame: OrderedFrame, stamp: Stamp): boolean {
  let [low, high] = [0, frame.count - 1];
  while (low <= high) {
    const middle = (low + high) >> 1;
    const difference = compareStamps(frame.stampAt(middle), stamp);
    if (difference === 0) return true;
    if (difference < 0) low = middle + 1;
    else high = middle - 1;
  }
  return false;
}

const lastPosition = ({ firstPosition, count }: OrderedFrame) => firstPosition + count - 1;
const lastStamp = (frame: OrderedFrame) => frame.stampAt(frame.count - 1);
