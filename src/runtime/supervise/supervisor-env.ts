import { z } from "zod";

/** What the supervisor takes from the environment; the children get the rest unchanged. */
export const SupervisorEnv = z.object({
  PORT: z.coerce.number().int().min(1).max(65_535).default(3000).describe("a port number, such as 3000"),
  HOST: z.string().default("127.0.0.1").describe("an address of this machine, such as 127.0.0.1 or 0.0.0.0"),
  DATABASE_URL: z
    .string()
    .regex(/^postgres(ql)?:\/\//, "is not a Postgres URL")
    .optional()
    .describe("postgresql://user:password@host:5432/database, or leave it out for an embedded Postgres"),
  REDIS_URL: z
    .string()
    .regex(/^rediss?:\/\/[^,]+(,\s*rediss?:\/\/[^,]+)*$/, "is not a Redis URL, nor a list of them")
    .optional()
    .describe("redis://host:6379 (cluster: several, with commas), or leave it out for an embedded Redis"),
  AUTH_SECRET: z.string().min(32).optional().describe("32 random characters or more, or leave it out"),
  PUBLIC_URL: z.url().optional().describe("the address people use, such as https://floodgate.example"),
  FLOODGATE_DATA_DIR: z.string().optional().describe("a folder for the data, instead of .data"),
});
