import { describe, expect, it } from "vitest";
import { checkNames, unknownNames } from "./check-names";

describe("a variable that looks like ours", () => {
  it.each([
    ["ORDER_SHARD", "ORDER_SHARDS"],
    ["FILTER_CAPACTY", "FILTER_CAPACITY"],
    ["FILTER_REDIS_TIMEOUT", "FILTER_REDIS_TIMEOUT_MS"],
    ["KINESIS_STREAMS", "KINESIS_STREAM"],
    ["DATABSE_URL", "DATABASE_URL"],
    ["METRIC_PORT", "METRICS_PORT"],
    ["CHECKS_PER_MINUT", "CHECKS_PER_MINUTE"],
  ])("is named with the nearest known one: %s", (name, nearest) => {
    expect(unknownNames({ [name]: "1" })).toEqual([
      `  ${name}: there is no such variable. Did you mean ${nearest}?`,
    ]);
  });

  it("stops the start, and all are listed at once", () => {
    const env = { ORDER_SHARD: "3", FILTER_CAPACTY: "5", PATH: "/bin" };
    expect(() => checkNames(env)).toThrow(/ORDER_SHARD.*\n.*FILTER_CAPACTY/);
  });
});

describe("a variable of another program", () => {
  it.each(["PATH", "HOME", "NODE_ENV", "REDIS_HOST", "HOSTNAME", "AWS_REGION", "npm_lifecycle_event"])(
    "is left alone: %s",
    name => expect(unknownNames({ [name]: "1" })).toEqual([]),
  );

  it.each(["FILTER_SERVICE_HOST", "RELAY_SERVICE_PORT_HTTP", "ENGINE_PORT_9000_TCP_ADDR"])(
    "is left alone when Kubernetes made it: %s",
    name => expect(unknownNames({ [name]: "1" })).toEqual([]),
  );

  it("is left alone beside the known one it is near to", () => {
    expect(unknownNames({ DATABASE_URI: "x", DATABASE_URL: "y" })).toEqual([]);
  });
});

it("accepts every variable of Floodgate", () => {
  const env = {
    ORDER_SHARDS: "5",
    ORDER_WATERMARK_INTERVAL_MS: "10",
    FILTER_TICK_MS: "1",
    FLOODGATE_TOKEN: "x",
  };
  expect(unknownNames(env)).toEqual([]);
});
