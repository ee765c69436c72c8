/** The input of one process of a side. Times are microseconds since 1970. */
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
