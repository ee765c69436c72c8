import { kinesisError, type ProxiedCall, type ProxyHooks } from "./kinesis-proxy";

const THROTTLED = { ErrorCode: "ProvisionedThroughputExceededException", ErrorMessage: "for a test" };

/** Which records of a call of PutRecords fail; they never reach Kinesis. */
export type Failing = (records: readonly PutRecord[], attempt: number) => number[];
export type PutRecord = { PartitionKey: string; ExplicitHashKey?: string; Data: string };

/** Lets single records fail, as Kinesis does: the others of the call go through. */
export function partialFailures(failing: Failing): ProxyHooks {
  const failed = new WeakMap<ProxiedCall, number[]>();
  let attempt = 0;
  return {
    before(call) {
      if (call.action !== "PutRecords") return undefined;
      const records = call.body.Records as PutRecord[];
      attempt += 1;
      const indexes = failing(records, attempt);
      failed.set(call, indexes);
      const rest = records.filter((_, i) => !indexes.includes(i));
      call.body.Records = rest;
      return rest.length > 0 ? undefined : { status: 200, body: { Records: [] } };
    },
    after(call, answer) {
      const indexes = failed.get(call);
      if (!indexes || answer.status !== 200) return answer;
      const all = [...(answer.body.Records as object[])];
      for (const i of indexes) all.splice(i, 0, THROTTLED);
      return { status: 200, body: { Records: all, FailedRecordCount: indexes.length } };
    },
  };
}

/**
 * The faults of a stream at random: single records fail, answers are lost, iterators expire, limits
 * are met.
 */
export function randomFaults(random: () => number): ProxyHooks {
  const partial = partialFailures(records => records.map((_, i) => i).filter(() => random() < 0.15));
  return {
    before(call) {
      const chance = random();
      if (call.action === "GetRecords" && chance < 0.03) return kinesisError("ExpiredIteratorException");
      if (call.action === "GetRecords" && chance < 0.06)
        return kinesisError("ProvisionedThroughputExceededException");
      if (call.action === "PutRecords" && chance < 0.03) return kinesisError("InternalFailureException", 500);
      return partial.before?.(call);
    },
    after(call, answer) {
      // The records are in the stream, and the caller gets no answer.
      if (call.action === "PutRecords" && random() < 0.05) return null;
      return partial.after?.(call, answer) ?? answer;
    },
  };
}
