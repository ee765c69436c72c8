import {
  GetRecordsCommand,
  type GetRecordsOutput,
  GetShardIteratorCommand,
  ListShardsCommand,
  MergeShardsCommand,
  PutRecordsCommand,
  type PutRecordsResultEntry,
  type Shard as RawShard,
  SplitShardCommand,
} from "@aws-sdk/client-kinesis";
import type { KinesisClients } from "./kinesis-client";
import { explained, explainedReshard, faultOf, nameOf } from "./kinesis-fault";
import { shardNameOf } from "./kinesis-shards";

/** One record of PutRecords. With `hashKey` (0 to 2^128 - 1) the partition key decides nothing. */
export type PutEntry = { partitionKey: string; data: Buffer; hashKey?: bigint };

/** The outcome of one record: the shard that took it, or why none did. */
export type PutAnswer = { shardName: string } | { fault: "throttled" | "unknown" };

/** Where a reader starts: at the oldest record, at this record, or after it. */
export type Start =
  | { type: "TRIM_HORIZON" }
  | { type: "AT_SEQUENCE_NUMBER" | "AFTER_SEQUENCE_NUMBER"; number: string };

const CALL_TIMEOUT_MS = 5_000;
/** More shards than the default quota of an account. */
const MAX_PAGES = 100;

/** The calls of the Kinesis API that the log uses, each with a timeout. */
export class KinesisCalls {
  constructor(
    readonly stream: string,
    private readonly clients: KinesisClients,
    private readonly timeoutMs = CALL_TIMEOUT_MS,
  ) {}

  /** All shards within the retention, closed ones included. */
  async listShards(): Promise<RawShard[]> {
    const shards: RawShard[] = [];
    let token: string | undefined;
    for (let page = 0; page < MAX_PAGES; page += 1) {
      const command = new ListShardsCommand(
        token === undefined ? { StreamName: this.stream } : { NextToken: token },
      );
      const answer = await this.explaining(this.clients.calls.send(command, this.limit()));
      shards.push(...(answer.Shards ?? []));
      token = answer.NextToken;
      if (token === undefined) return shards;
    }
    throw new Error(`the stream “${this.stream}” has more than ${MAX_PAGES} pages of shards`);
  }

  /**
   * Puts at most 500 records of together 5 MiB; the answers are in their order.
   * @throws when the whole call failed; when the whole call was throttled, all records count as throttled
   */
  async putRecords(entries: readonly PutEntry[]): Promise<PutAnswer[]> {
    const command = new PutRecordsCommand({
      StreamName: this.stream,
      Records: entries.map(({ partitionKey, data, hashKey }) => ({
        PartitionKey: partitionKey,
        Data: data,
        ...(hashKey === undefined ? {} : { ExplicitHashKey: String(hashKey) }),
      })),
    });
    try {
      const { Records } = await this.clients.calls.send(command, this.limit());
      return entries.map((_, i) => readAnswer(Records?.[i]));
    } catch (error) {
      if (faultOf(nameOf(error)) !== "throttled") throw explained(error, this.stream);
      return entries.map(() => ({ fault: "throttled" }));
    }
  }

  async shardIterator(shardName: string, start: Start): Promise<string> {
    const command = new GetShardIteratorCommand({
      StreamName: this.stream,
      ShardId: shardName,
      ShardIteratorType: start.type,
      ...(start.type === "TRIM_HORIZON" ? {} : { StartingSequenceNumber: start.number }),
    });
    const { ShardIterator } = await this.clients.calls.send(command, this.limit());
    if (ShardIterator === undefined) throw new Error("Kinesis returned no shard iterator");
    return ShardIterator;
  }

  async getRecords(iterator: string, limit: number): Promise<GetRecordsOutput> {
    const command = new GetRecordsCommand({ ShardIterator: iterator, Limit: limit });
    return this.clients.calls.send(command, this.limit());
  }

  /** @param at the first hash key of the upper half. False: the stream is changing already. */
  async splitShard(shardId: string, at: bigint): Promise<boolean> {
    const command = new SplitShardCommand({
      StreamName: this.stream,
      ShardToSplit: shardNameOf(shardId),
      NewStartingHashKey: String(at),
    });
    return this.reshard(this.clients.calls.send(command, this.limit()));
  }

  /** False: the stream is changing already. */
  async mergeShards(shardId: string, neighbourId: string): Promise<boolean> {
    const command = new MergeShardsCommand({
      StreamName: this.stream,
      ShardToMerge: shardNameOf(shardId),
      AdjacentShardToMerge: shardNameOf(neighbourId),
    });
    return this.reshard(this.clients.calls.send(command, this.limit()));
  }

  private async reshard(call: Promise<unknown>): Promise<boolean> {
    try {
      await call;
      return true;
    } catch (error) {
      if (nameOf(error) === "ResourceInUseException") return false;
      throw explainedReshard(error, this.stream);
    }
  }

  private limit(): { abortSignal: AbortSignal } {
    return { abortSignal: AbortSignal.timeout(this.timeoutMs) };
  }

  private async explaining<T>(call: Promise<T>): Promise<T> {
    try {
      return await call;
    } catch (error) {
      throw explained(error, this.stream);
    }
  }
}

function readAnswer(entry: PutRecordsResultEntry | undefined): PutAnswer {
  if (entry?.ShardId !== undefined && entry.SequenceNumber !== undefined) return { shardName: entry.ShardId };
  return { fault: faultOf(entry?.ErrorCode ?? "") === "throttled" ? "throttled" : "unknown" };
}
