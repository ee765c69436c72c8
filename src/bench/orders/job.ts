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
  /** A wait in which nothing arrives ends after so long, milliseconds. */
  quietMs: number;
};

export type Report = {
  startUs?: number;
  endUs?: number;
  latenciesMs?: { p50: number; p99: number };
  /** What the machine did to this process, where the measurement was completed all the same. */
  disturbance?: string;
};

/** The last message of a process: what it measured, or why it could not. */
export type RoleAnswer =
  | { report: Report }
  | { failure: string /** The machine's fault: it may be tried again. */; isDisturbance: boolean };
