import { z } from "zod";

/** Both refuse with a fixed text: a malformed URL may contain a password. */
export const databaseUrl = z
  .string()
  .refine(value => /^postgres(ql)?:\/\//.test(value) && URL.canParse(value), "is not a Postgres URL")
  .describe("postgresql://user:password@host:5432/database; special characters percent-encoded");

/** One URL, or several with commas: nodes of a Redis Cluster. */
export const redisUrl = z
  .string()
  .refine(
    value => value.split(",").every(part => /^rediss?:\/\//.test(part.trim()) && URL.canParse(part.trim())),
    "is not a Redis URL, nor a list of them",
  )
  .describe(
    "redis://user:password@host:6379 (cluster: with ?cluster, or several with commas); special characters percent-encoded",
  );
