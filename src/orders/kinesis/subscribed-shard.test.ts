import { setTimeout as sleep } from "node:timers/promises";
import type { SubscribeToShardEventStream } from "@aws-sdk/client-kinesis";
import { describe, expect, it } from "vitest";
import type { ShardSubscriber } from "./fanout-consumer";
import { SubscribedShard } from "./subscribed-shard";

const eventOf = (from: number, count: number, bytes = 1): SubscribeToShardEventStream => ({
  SubscribeToShardEvent: {
    Records: Array.from({ length: count }, (_, i) => ({
      SequenceNumber: `${from + i}`,
      Data: Buffer.alloc(bytes),
      PartitionKey: "DOGE",
    })),
    ContinuationSequenceNumber: `${from + count - 1}`,
    MillisBehindLatest: 0,
  },
});
const shardOf = (subscriber: ShardSubscriber, silenceMs = 5_000) =>
  new SubscribedShard("0", "", { stream: "s", subscriber, betweenMs: 1, silenceMs, onProblem: () => {} });

describe("a subscription whose events are an iterable of the test's", () => {
  it("takes no event from Kinesis while enough of them wait to be read", async () => {
    let given = 0;
    const shard = shardOf({
      async subscribe() {
        return (async function* () {
          for (; given < 20; given += 1) yield eventOf(given * 500 + 1, 500);
        })();
      },
    });
    for (let turn = 0; turn < 50; turn += 1) await sleep(0);
    // 2,000 records are enough: the fourth event is buffered, the fifth was never requested.
    expect(given).toBe(3);
    const positions: number[] = [];
    while (positions.length < 10_000) {
      positions.push(...shard.take(700).map(({ position }) => Number(position)));
      await sleep(0);
    }
    expect(positions).toEqual(Array.from({ length: 10_000 }, (_, i) => i + 1));
    shard.close();
  });

  it("counts their bytes as well", async () => {
    let given = 0;
    const shard = shardOf({
      async subscribe() {
        return (async function* () {
          for (; given < 20; given += 1) yield eventOf(given + 1, 1, 1_048_576);
        })();
      },
    });
    for (let turn = 0; turn < 50; turn += 1) await sleep(0);
    expect(given).toBe(3);
    const positions: string[] = [];
    while (positions.length < 20) {
      positions.push(...shard.take(2).map(({ position }) => position));
      await sleep(0);
    }
    expect(given).toBe(20);
    shard.close();
  });

  it("is made again when no event comes for too long, and ends when it is closed", async () => {
    const starts: (string | undefined)[] = [];
    let aborted = 0;
    const shard = shardOf(
      {
        async subscribe(_name, start, signal) {
          starts.push("number" in start ? start.number : start.type);
          return (async function* () {
            if (starts.length === 1) yield eventOf(1, 1);
            await sleep(60_000, null, { signal }).catch(() => {
              aborted += 1;
            });
            signal.throwIfAborted();
          })();
        },
      },
      10,
    );
    while (starts.length < 3) await sleep(1);
    expect(starts.slice(0, 3)).toEqual(["TRIM_HORIZON", "1", "1"]);
    expect(shard.take(5).map(({ position }) => position)).toEqual(["1"]);
    shard.close();
    while (aborted < starts.length) await sleep(1);
    const count = starts.length;
    await sleep(30);
    expect(starts.length).toBe(count);
  });
});
