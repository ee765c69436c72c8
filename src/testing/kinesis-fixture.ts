import { type OrderLog, type ReadRecord, type ReshardableLog, START } from "../domain/orders/order-log";
import { type LogReading, type OpenedLog, openOrderLog } from "../orders/open-order-log";
import { UNGUARDED } from "../store/owner-guard";
import { createRedis, type RedisClient, redisIsReady } from "../store/redis";
import { KinesisProxy } from "./kinesis-proxy";
import { TestKinesis } from "./test-kinesis";
import { TestRedis } from "./test-redis";
import { waitFor } from "./wait-for";

/** Kinesis with a proxy before it, and the Redis beside it, of a test file's own. */
export class KinesisFixture {
  private readonly opened: OpenedLog[] = [];
  private serial = 0;
  /** What logs have complained of. */
  readonly problems: string[] = [];

  private constructor(
    readonly kinesis: TestKinesis,
    readonly proxy: KinesisProxy,
    readonly server: TestRedis,
    readonly redis: RedisClient,
  ) {}

  static async start(): Promise<KinesisFixture> {
    const [kinesis, server] = await Promise.all([TestKinesis.start(), TestRedis.start()]);
    const proxy = await KinesisProxy.start(kinesis.url);
    const redis = createRedis(
      { url: server.url, connectionName: "test", commandTimeoutMs: 5_000, guard: UNGUARDED },
      () => {},
    );
    await redisIsReady(redis, 5_000);
    return new KinesisFixture(kinesis, proxy, server, redis);
  }

  /** A stream of its own, and the log in it. */
  async freshLog(shards: number): Promise<{ log: ReshardableLog; stream: string }> {
    this.serial += 1;
    const stream = `stream${this.serial}`;
    await this.kinesis.createStream(stream, shards);
    return { log: this.open(stream).log, stream };
  }

  /** @param how through the proxy, if no other endpoint is given */
  open(stream: string, how: Partial<LogReading & { endpoint: string }> = {}): OpenedLog {
    const { reader = "polling", consumer = "test", endpoint = this.proxy.url } = how;
    const opened = openOrderLog(
      {
        ORDER_LOG: "kinesis",
        ORDER_LOG_NAME: stream,
        ORDER_LIMITS: "on",
        KINESIS_STREAM: stream,
        KINESIS_ENDPOINT: endpoint,
      },
      { redis: this.redis, reading: { reader, consumer }, onProblem: phrase => this.problems.push(phrase) },
    );
    this.opened.push(opened);
    return opened;
  }

  async stop(): Promise<void> {
    for (const { close } of this.opened) close();
    await this.proxy.stop();
    await this.kinesis.stop();
    this.redis.disconnect();
    await this.server.remove();
  }
}

/** Reads one shard until so many records have come. */
export async function readShard(
  log: OrderLog,
  shardId: string,
  { from = START, count }: { from?: string; count: number },
): Promise<ReadRecord[]> {
  const records: ReadRecord[] = [];
  await waitFor(`${count} records of shard ${shardId}`, async () => {
    const position = records.at(-1)?.position ?? from;
    records.push(...(await log.read(new Map([[shardId, position]]), 500))[0]!.records);
    return records.length >= count;
  });
  return records;
}
