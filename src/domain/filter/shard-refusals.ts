/** Reply of a shard that accepts no more names. A pattern for JavaScript and Postgres. */
export const SHARD_FULL = "filter is full";

/** Reply of a missing shard, or of a key with another value. A pattern for JavaScript and Postgres. */
export const SHARD_MISSING = "not found|wrong length|WRONGTYPE";
