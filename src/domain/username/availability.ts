/** The answer to "is this username free?". Only `available` lets a signup go on without a warning. */
export type Availability =
  | { status: "available"; source: "filter" | "database" }
  | { status: "taken"; source: "database" }
  | { status: "reserved"; message: string }
  | { status: "invalid"; rule: string; message: string }
  | { status: "busy"; retryAfterMs: number };
