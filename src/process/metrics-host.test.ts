import { expect, it } from "vitest";
import { readEnv } from "../runtime/read-env";
import { labEnv } from "./order-env";

const URLS = { DATABASE_URL: "postgresql://a@b/c", REDIS_URL: "redis://a" };
const parse = (METRICS_HOST?: string) => readEnv(labEnv, { ...URLS, METRICS_HOST }).METRICS_HOST;

it("is this machine alone, if it is not set", () => {
  expect([parse(), parse(" ")]).toEqual(["127.0.0.1", "127.0.0.1"]);
});

it.each(["0.0.0.0", "::", "::1", "fe80::1%eth0", "10.1.2.3", "localhost", "relay-1.internal.", "pod_7"])(
  "takes %s",
  host => expect(parse(host)).toBe(host),
);

it.each(["[::1]", "http://0.0.0.0", "0.0.0.0:9464", "1.2.3", "10.0.0.256", "a b", "*", "-.-..", ":"])(
  "refuses %s and says what to set",
  host => {
    expect(() => parse(host)).toThrow(
      "METRICS_HOST: is not an IP address, nor a host name. Set it to an address of this machine, such as 127.0.0.1",
    );
  },
);
