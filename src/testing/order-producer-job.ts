/** The work of one life of a producer's process, see order-producer-process.ts. */
export type ProducerJob = {
  redisUrl: string;
  databaseUrl: string;
  log: string;
  name: string;
  ordersPerSecond: number;
  /** The first serial of the next new batch. */
  nextSerial: number;
  /** First serials of batches without an answer, in their order. */
  unanswered: number[];
};

/** Orders of one batch. */
export const BATCH = 100;
export const ACCOUNTS = 50;
