import { evenShards, type Shard, type ShardMap } from "../domain/orders/hash-range";
import {
  type Append,
  type AppendResult,
  END,
  type ReadRecord,
  type ReshardableLog,
  recordBytes,
  type ShardBatch,
  type WatermarkMeta,
} from "../domain/orders/order-log";
import { applyShardChange, type ShardChange } from "../domain/orders/shard-change";
import { CLOSED_RECORD } from "../store/codec/order-record";
import { shardMapKey, shardMetaKey, shardProducersKey, shardStreamKey } from "../store/order-keys";
import type { RedisClient } from "../store/redis";

/** The limits of one shard; 0 is no limit. Kinesis: 1,048,576 bytes and 1,000 records. */
export type ShardLimits = { bytesPerSecond: number; recordsPerSecond: number };
export const KINESIS_LIMITS: ShardLimits = { bytesPerSecond: 1_048_576, recordsPerSecond: 1_000 };
export const NO_LIMITS: ShardLimits = { bytesPerSecond: 0, recordsPerSecond: 0 };

/** A shard remembers at least this many of the newest producer numbers. */
const REMEMBERED = 1_000;

type StoredShard = { id: string; start: string; end: string; closed?: true };
type StoredMap = { version: number; shards: StoredShard[] };

export type RedisLogOptions = { log: string; limits: ShardLimits };

/** The order log in Redis or Redis Cluster: a Stream per shard, with limits and fences beside it. */
export class RedisLog implements ReshardableLog {
  readonly fences = true;

  constructor(
    private readonly redis: RedisClient,
    private readonly options: RedisLogOptions,
  ) {}

  /** Creates the shards of a new log; keeps existing ones, and completes an interrupted reshard. */
  async create(shards: number): Promise<void> {
    // Above every version of a map that was lost: no reader or producer takes the older one for the newer.
    const version = Math.floor(Date.now() / 1_000);
    const fresh: StoredMap = { version, shards: evenShards(shards).map(toStored) };
    await this.redis.write(shardMapKey(this.options.log), "SET", JSON.stringify(fresh), "NX");
    await this.close((await this.stored()).shards.filter(({ closed }) => closed));
  }

  async readMap(): Promise<ShardMap> {
    return openOf(await this.stored());
  }

  async readableShards(): Promise<string[]> {
    return (await this.stored()).shards.map(({ id }) => id);
  }

  async append({ shardId, producer, incarnation = "", firstNumber, records }: Append): Promise<AppendResult> {
    const { log, limits } = this.options;
    const args: (string | number | Buffer)[] = [
      shardStreamKey(log, shardId),
      shardMetaKey(log, shardId),
      shardProducersKey(log, shardId),
      producer,
      incarnation,
      firstNumber,
      limits.bytesPerSecond,
      limits.recordsPerSecond,
    ];
    for (const record of records) args.push(recordBytes(record), record.data);
    const [outcome, last, waitUs] = (await this.redis.orderAppend(...args)) as [string, number, number];
    return {
      outcome: outcome as AppendResult["outcome"],
      taken: records.map((_, i) => firstNumber + i <= last),
      retryAfterMs: outcome === "throttled" ? Math.ceil(waitUs / 1_000) : null,
    };
  }

  async appendWatermark(
    shardId: string,
    watermark: Buffer,
    { readAtUs, minIntervalUs }: WatermarkMeta,
  ): Promise<void> {
    const { log } = this.options;
    const keys = [shardStreamKey(log, shardId), shardMetaKey(log, shardId)];
    await this.redis.orderWatermark(...keys, watermark, readAtUs, minIntervalUs);
  }

  async fence(shardId: string, producer: number): Promise<void> {
    await this.redis.orderFence(shardProducersKey(this.options.log, shardId), producer);
  }

  async forgetProducers(
    shardId: string,
    { alive, last }: { alive: readonly number[]; last: number },
  ): Promise<void> {
    const key = shardProducersKey(this.options.log, shardId);
    await this.redis.orderForget(key, REMEMBERED, last, ...alive);
  }

  async read(after: ReadonlyMap<string, string>, limit: number): Promise<ShardBatch[]> {
    // One call per shard, since shards of a cluster are on different nodes. All leave in one write.
    return Promise.all(
      [...after].map(async ([shardId, position]) => {
        const { id, n } = parsePosition(position);
        const key = shardStreamKey(this.options.log, shardId);
        const reply = await this.redis.xreadBuffer("COUNT", limit, "STREAMS", key, id);
        return { shardId, records: readEntries(reply?.[0]?.[1] ?? [], n) };
      }),
    );
  }

  streamsBehind(after: ReadonlyMap<string, string>): Map<string, string> {
    return new Map(
      [...after].map(([shardId, position]) => [
        shardStreamKey(this.options.log, shardId),
        parsePosition(position).id,
      ]),
    );
  }

  isAfter(position: string, other: string): boolean {
    const [ms, serial] = parsePosition(position).id.split("-").map(Number) as [number, number];
    const [otherMs, otherSerial] = parsePosition(other).id.split("-").map(Number) as [number, number];
    return ms > otherMs || (ms === otherMs && serial > otherSerial);
  }

  writtenMs(position: string): number {
    return Number(parsePosition(position).id.split("-", 1)[0]);
  }

  async trim(passed: ReadonlyMap<string, string>): Promise<void> {
    const { log } = this.options;
    await Promise.all(
      [...passed].map(([shardId, position]) =>
        position === END
          ? this.forgetShard(shardId)
          : this.redis.write(shardStreamKey(log, shardId), "XTRIM", "MINID", "~", parsePosition(position).id),
      ),
    );
    const isFullyRead = ({ id }: StoredShard) => passed.get(id) === END;
    const before = await this.stored();
    // Of a reshard whose process ended between the new map and the last record of the old shards.
    await this.close(before.shards.filter(shard => shard.closed && !isFullyRead(shard)));
    if (before.shards.some(isFullyRead))
      await this.replaceMap(before, {
        ...before,
        shards: before.shards.filter(shard => !isFullyRead(shard)),
      });
  }

  /** The hash that says it is closed stays, so that late calls are refused; the producers' numbers for a day. */
  private async forgetShard(shardId: string): Promise<void> {
    const { log } = this.options;
    await this.redis.write(shardStreamKey(log, shardId), "UNLINK");
    await this.redis.write(shardProducersKey(log, shardId), "EXPIRE", 86_400);
  }

  async reshard(change: ShardChange, expectedVersion: number): Promise<boolean> {
    const before = await this.stored();
    if (before.version !== expectedVersion) return false;
    const { closed, opened } = applyShardChange(openOf(before), change);
    const ids = new Set(closed.map(({ id }) => id));
    const after: StoredMap = {
      version: before.version + 1,
      shards: [
        ...before.shards.map(shard => (ids.has(shard.id) ? { ...shard, closed: true as const } : shard)),
        ...opened.map(toStored),
      ],
    };
    if (!(await this.replaceMap(before, after))) return false;
    // All of them: an earlier change may have been interrupted. What fails here is completed by the next trim,
    // or by the next aggregator that starts.
    await this.close(after.shards.filter(shard => shard.closed));
    return true;
  }

  /** Splits a shard of the present map in two halves, as Kinesis' SplitShard does. */
  async splitShard(shardId: string): Promise<void> {
    await this.reshardNow({ kind: "split", shardId });
  }

  /** Merges two shards of the present map whose ranges meet. */
  async mergeShards(shardId: string, neighbourId: string): Promise<void> {
    await this.reshardNow({ kind: "merge", shardId, neighbourId });
  }

  private async reshardNow(change: ShardChange): Promise<void> {
    if (!(await this.reshard(change, (await this.stored()).version)))
      throw new Error("the shards were changed in the meantime; try again");
  }

  private async close(shards: readonly StoredShard[]): Promise<void> {
    const { log } = this.options;
    for (const { id } of shards)
      await this.redis.orderClose(shardStreamKey(log, id), shardMetaKey(log, id), CLOSED_RECORD);
  }

  private async stored(): Promise<StoredMap> {
    const json = await this.redis.get(shardMapKey(this.options.log));
    if (json === null)
      throw new Error(`the order log “${this.options.log}” has no shards yet: start an aggregator`);
    return JSON.parse(json) as StoredMap;
  }

  private async replaceMap(before: StoredMap, after: StoredMap): Promise<boolean> {
    const key = shardMapKey(this.options.log);
    return (await this.redis.replaceIfSame(key, JSON.stringify(before), JSON.stringify(after))) === 1;
  }
}

/** A position is "<entry id>/<number of the record>". The numbers have no gaps, so trimmed records are noticed. */
function parsePosition(position: string): { id: string; n: number } {
  const slash = position.indexOf("/");
  return slash < 0
    ? { id: "0-0", n: 0 }
    : { id: position.slice(0, slash), n: Number(position.slice(slash + 1)) };
}

const N = "n".charCodeAt(0);
const D = "d".charCodeAt(0);

function readEntries(entries: [Buffer, Buffer[]][], lastN: number): ReadRecord[] {
  let before = lastN;
  return entries.map(([id, fields]) => {
    // An entry that was added with XADD by hand has no number.
    let n = before;
    let data: Buffer = EMPTY;
    for (let i = 0; i + 1 < fields.length; i += 2) {
      if (fields[i]![0] === N) n = Number(fields[i + 1]!.toString("latin1"));
      else if (fields[i]![0] === D) data = fields[i + 1]!;
    }
    const missing = Math.max(0, n - before - 1);
    before = n;
    return { position: `${id.toString("latin1")}/${n}`, data, missing };
  });
}

const EMPTY = Buffer.alloc(0);

const openOf = ({ version, shards }: StoredMap): ShardMap => ({
  version,
  open: shards.filter(shard => !shard.closed).map(toShard),
});
const toStored = ({ id, startHash, endHash }: Shard): StoredShard => ({
  id,
  start: String(startHash),
  end: String(endHash),
});
const toShard = ({ id, start, end }: StoredShard): Shard => ({
  id,
  startHash: BigInt(start),
  endHash: BigInt(end),
});
