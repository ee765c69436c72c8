/** Redis keys of the order log. All keys of one shard, and of one partition of symbols, share a hash tag. */

const shard = (log: string, shardId: string) => `orders:{${log}:s${shardId}}`;
const partition = (log: string, number: number) => `orders:{${log}:p${number}}`;

/** The records of a shard: a Stream of entries { n: their number, d: the bytes }. */
export const shardStreamKey = (log: string, shardId: string) => `${shard(log, shardId)}:records`;
/** Hash: n, closed, watermark times, and the token bucket. */
export const shardMetaKey = (log: string, shardId: string) => `${shard(log, shardId)}:meta`;
/** Hash: the number of each producer's last record and its incarnation, with an F before it once it is fenced. */
export const shardProducersKey = (log: string, shardId: string) => `${shard(log, shardId)}:producers`;

/** JSON: the shards and their hash ranges. */
export const shardMapKey = (log: string) => `orders:{${log}}:shards`;
/** Hash: the watermark of every producer that has joined. */
export const registryKey = (log: string) => `orders:{${log}}:registry`;
/** Hash: paused symbols, and until when (µs since 1970). */
export const pausedKey = (log: string) => `orders:{${log}}:paused`;
/** Hash: per shard of a log outside of Redis, when its last watermark was written, and its time. */
export const watermarkTurnsKey = (log: string) => `orders:{${log}}:watermarks`;
/** String: where the records of a log are, such as "Kinesis trades"; nothing for a log in Redis. */
export const logSourceKey = (log: string) => `orders:{${log}}:source`;
/** Hash: the status of each aggregator. */
export const aggregatorsKey = (log: string) => `orders:{${log}}:aggregators`;
/** JSON: the suggestions for symbols, as of the last second. */
export const suggestionsKey = (log: string) => `orders:{${log}}:suggestions`;
/** Hash: the top of each symbol's book, written by its engine. */
export const booksKey = (log: string) => `orders:{${log}}:books`;
/** Hash: the owner of each partition, for one kind of worker. */
export const leasesKey = (log: string, kind: string) => `orders:{${log}}:leases:${kind}`;
/** Stream: dead letters (late, malformed, unknown symbol, …), each with the reason. */
export const deadLettersKey = (log: string) => `orders:{${log}}:dead-letters`;
/** Hash: which dead letters were replayed, and by which user. */
export const replayedKey = (log: string) => `orders:{${log}}:dead-letters:replayed`;
/** Hash: the checkpoint of one partition in each shard. */
export const checkpointKey = (log: string, number: number) => `${partition(log, number)}:checkpoint`;
/** A symbol's orders in exact order: a Stream whose entry IDs are positions. */
export const orderedKey = (log: string, number: number, symbol: string) =>
  `${partition(log, number)}:${symbol}:ordered`;
/** Hash: epoch, position and last stamp of a symbol's ordered stream, and the position that the engine has passed. */
export const headKey = (log: string, number: number, symbol: string) =>
  `${partition(log, number)}:${symbol}:head`;
