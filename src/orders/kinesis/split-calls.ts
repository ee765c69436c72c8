import {
  MAX_CALL_BYTES,
  MAX_CALL_RECORDS,
  MAX_RECORD_BYTES,
  type NewRecord,
  recordBytes,
} from "../../domain/orders/order-log";

/** `calls`: indexes of the records, in as few calls as possible. `oversized`: too large for any call. */
export type SplitCalls = { calls: number[][]; oversized: number[] };

/** Kinesis takes at most 500 records of together 5 MiB in a call, and 1 MiB in a record with its key. */
export function splitCalls(records: readonly NewRecord[]): SplitCalls {
  const calls: number[][] = [];
  const oversized: number[] = [];
  let call: number[] = [];
  let callBytes = 0;
  records.forEach((record, i) => {
    const bytes = recordBytes(record);
    if (bytes > MAX_RECORD_BYTES) {
      oversized.push(i);
      return;
    }
    if (call.length === MAX_CALL_RECORDS || callBytes + bytes > MAX_CALL_BYTES) {
      calls.push(call);
      [call, callBytes] = [[], 0];
    }
    call.push(i);
    callBytes += bytes;
  });
  if (call.length > 0) calls.push(call);
  return { calls, oversized };
}
