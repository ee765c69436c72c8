/** What a side is given. */
export type SideInput = {
  side: "build" | "copy" | "loop" | "synthetic";
  databaseUrl: string;
  redisUrl: string;
  /** Names the version is made for. */
  capacity: number;
};

/** The figures it comes back with. */
export type Figures = Record<string, number>;
