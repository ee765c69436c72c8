import { expect, test } from "vitest";
import { z } from "zod";
import { readEnv } from "./read-env";

const Schema = z.object({
  PORT: z.coerce.number().int().max(65_535).default(3000).describe("a port number"),
  DATABASE_URL: z
    .string()
    .regex(/^postgresql:/, "is not a Postgres URL")
    .describe("postgresql://…"),
  REDIS_URL: z.string().optional(),
  AUTH_SECRET: z
    .string()
    .refine(value => value.length > 40, { error: issue => `"${issue.input}" is too short` })
    .optional(),
});

test("parses what is there and fills in defaults; empty strings count as absent", () => {
  const env = readEnv(Schema, { DATABASE_URL: "postgresql://db/app", PORT: "", REDIS_URL: "  ", HOME: "/x" });
  expect(env).toEqual({ PORT: 3000, DATABASE_URL: "postgresql://db/app" });
});

test("one error lists every problem, and what to do", () => {
  const read = () => readEnv(Schema, { PORT: "70000", AUTH_SECRET: "s3cret", DATABASE_URL: "" });
  expect(read).toThrow(/PORT: .*65535.* Set it to a port number\./);
  expect(read).toThrow(/DATABASE_URL: is missing\. Set it to postgresql:/);
  expect(read).toThrow(/AUTH_SECRET: "\[hidden\]" is too short/);
});

test("never shows a value", () => {
  const read = () => readEnv(Schema, { DATABASE_URL: "mysql://root:hunter22@db", AUTH_SECRET: "s3cret" });
  expect(read).toThrow(/is not a Postgres URL/);
  expect(read).not.toThrow(/hunter22|s3cret/);
});
