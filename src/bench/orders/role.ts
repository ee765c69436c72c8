import { createRedis, type RedisClient, redisIsReady } from "../../store/redis";
import { runAggregatedSink, runFrameSink } from "./aggregated-sink";
import { runFeeder } from "./feeder";
import { runPackedProducer } from "./packed-producer";
import { runPlainConsumer, runPlainProducer } from "./plain";
import { runRawReader, runRawWriter } from "./raw";

/** What one process of a side is told. Times are microseconds since 1970. */
export type Job = {
  redisUrl: string;
  databaseUrl: string;
  /** Keys of this round begin with it. */
  log: string;
  symbol: string;
  shards: number;
  orders: number;
  ordersPerRecord: number;
  /** Orders per second; 0 is as many as possible. */
  rate: number;
  /** Orders carry the time of their submission as a price, counted from here. */
  baseUs: number;
};

export type Report = { startUs?: number; endUs?: number; latenciesMs?: { p50: number; p99: number } };
type Role = (job: Job, redis: RedisClient) => Promise<Report>;

const ROLES: Record<string, Role> = {
  "packed-producer": runPackedProducer,
  "aggregated-sink": runAggregatedSink,
  "plain-producer": runPlainProducer,
  "plain-consumer": runPlainConsumer,
  feeder: runFeeder,
  "frame-sink": runFrameSink,
  "raw-writer": runRawWriter,
  "raw-reader": runRawReader,
};

/** The main of one process of a side: says "ready", waits for "go", and sends its report. */
const role = ROLES[process.argv[2] ?? ""];
const job = JSON.parse(process.argv[3] ?? "{}") as Job;
if (!role) throw new Error(`there is no role ${process.argv[2]}`);
const redis = createRedis({ url: job.redisUrl, connectionName: "bench", commandTimeoutMs: 20_000 }, () => {});
await redisIsReady(redis, 10_000);
// A benchmark that was interrupted leaves nobody behind.
process.once("disconnect", () => process.exit(1));
const go = new Promise(resolve => process.once("message", resolve));
process.send!("ready");
await go;
const report = await role(job, redis);
process.send!(report, () => process.exit(0));
