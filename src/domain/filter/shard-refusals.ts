/** In a reply about a shard that takes no more names, now or later. A pattern for JavaScript and Postgres. */
export const SHARD_FULL = "filter is full";

/** In a reply about a shard that is not there, or whose place something else has taken. Also a pattern for both. */
export const SHARD_GONE = "not found|wrong length|WRONGTYPE";
