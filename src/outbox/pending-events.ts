import { SHARD_FULL, SHARD_MISSING } from "../domain/filter/shard-refusals";

/** SQL conditions and values of rows of the outbox. `outbox_pending_idx` has the pending ones, by seq. */
export const PENDING = "processed_at IS NULL AND dead_at IS NULL";
/** Its shard is neither full nor missing, as far as the relay has seen. */
export const DELIVERABLE = `(last_error IS NULL OR last_error !~ '${SHARD_FULL}|${SHARD_MISSING}')`;
/** Seconds since the event was written. */
export const AGE = "greatest(0, extract(epoch FROM clock_timestamp() - created_at))";
