import { UNGUARDED } from "../../store/owner-guard";
import { createRedis, type RedisClient, redisIsReady } from "../../store/redis";
import { runAggregatedSink, runFrameSink } from "./aggregated-sink";
import { Disturbance } from "./disturbance";
import { runFeeder } from "./feeder";
import type { Job, Report, RoleAnswer } from "./job";
import { runPackedProducer } from "./packed-producer";
import { runPlainConsumer, runPlainProducer } from "./plain";
import { runRawReader, runRawWriter } from "./raw";

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
const redis = createRedis(
  { url: job.redisUrl, connectionName: "bench", commandTimeoutMs: 20_000, guard: UNGUARDED },
  () => {},
);
await redisIsReady(redis, 10_000);
// An interrupted benchmark leaves no process behind.
process.once("disconnect", () => process.exit(1));
const go = new Promise(resolve => process.once("message", resolve));
process.send!("ready");
await go;
const answer = await measure(role);
process.send!(answer, () => process.exit(0));

async function measure(run: Role): Promise<RoleAnswer> {
  try {
    return { report: await run(job, redis) };
  } catch (error) {
    const failure = error instanceof Error ? error.message : String(error);
    return { failure, isDisturbance: error instanceof Disturbance };
  }
}
