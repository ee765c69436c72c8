import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { compareStamps, type Stamp } from "../domain/orders/order-stamp";
import type { OrderedFrame } from "../store/codec/ordered-frame";
import { type FrameReader, findStamps } from "./find-stamps";

const stamp = (timeUs: number): Stamp => ({ timeUs, producer: 1, sequence: 1 });

function frameOf(firstPosition: number, stamps: Stamp[]): OrderedFrame {
  return { firstPosition, count: stamps.length, stampAt: i => stamps[i]!, *payloads() {} };
}

/** A stream with these times, in frames of some lengths, of which the first ones were trimmed. */
function streamOf(times: number[], lengths: number[], trimmed: number) {
  const stamps = [...new Set(times)].sort((a, b) => a - b).map(stamp);
  const frames: OrderedFrame[] = [];
  for (let from = 0, n = 0; from < stamps.length; n += 1) {
    const length = lengths[n % lengths.length]!;
    frames.push(frameOf(from + 1, stamps.slice(from, from + length)));
    from += length;
  }
  const kept = frames.slice(Math.min(trimmed, frames.length));
  let reads = 0;
  const reader: FrameReader = {
    oldest: async () => kept[0] ?? null,
    newest: async () => kept.at(-1) ?? null,
    async at(position) {
      reads += 1;
      return kept.find(({ firstPosition, count }) => firstPosition + count > position) ?? null;
    },
  };
  return { stamps, kept, reader, reads: () => reads };
}

describe("looking stamps up in an ordered stream", () => {
  it("finds stamps in the stream, and reports trimmed ones as unknown", async () => {
    const time = fc.integer({ min: 1, max: 200 });
    await fc.assert(
      fc.asyncProperty(
        fc.array(time, { minLength: 1, maxLength: 80 }),
        fc.array(fc.integer({ min: 1, max: 9 }), { minLength: 1, maxLength: 5 }),
        fc.nat(4),
        fc.array(time, { maxLength: 30 }),
        async (times, lengths, trimmed, wanted) => {
          const { stamps, kept, reader } = streamOf(times, lengths, trimmed);
          const oldest = kept[0];
          const expected = wanted.map(timeUs => {
            const isKept = oldest && timeUs >= oldest.stampAt(0).timeUs;
            if (!isKept && oldest?.firstPosition !== 1) return "unknown";
            return stamps.some(known => compareStamps(known, stamp(timeUs)) === 0) ? "yes" : "no";
          });
          expect(await findStamps(reader, wanted.map(stamp))).toEqual(expected);
        },
      ),
      { numRuns: 500 },
    );
  });

  it("reads few frames for many stamps that lie together", async () => {
    const { reader, stamps, reads } = streamOf(
      Array.from({ length: 100_000 }, (_, i) => i * 2),
      [100],
      0,
    );
    const wanted = stamps.slice(50_000, 50_200).map(({ timeUs }) => stamp(timeUs + 1));
    expect(new Set(await findStamps(reader, wanted))).toEqual(new Set(["no"]));
    expect(reads()).toBeLessThan(100);
  });

  it("reports stamps as unknown that are trimmed during the search", async () => {
    const { reader, kept } = streamOf([1, 2, 3, 4, 5, 6, 7, 8], [1], 0);
    const shrinking: FrameReader = { ...reader, at: async () => kept.at(-1)! };
    expect(await findStamps(shrinking, [stamp(2)])).toEqual(["unknown"]);
  });
});
