import { describe, expect, it } from "vitest";
import { readRedisUrl } from "./redis-url";

describe("REDIS_URL", () => {
  it.each([
    ["redis://[::1]:6390", [{ host: "::1", port: 6390 }], false],
    ["redis://[2001:db8::7]", [{ host: "2001:db8::7", port: 6379 }], false],
    ["redis://127.0.0.1:6390", [{ host: "127.0.0.1", port: 6390 }], false],
    ["rediss://clustercfg.example.com:6379?cluster", [{ host: "clustercfg.example.com", port: 6379 }], true],
    ["redis://[::1]:1?cluster=true", [{ host: "::1", port: 1 }], true],
    [
      "redis://a:1, redis://[::1]:2",
      [
        { host: "a", port: 1 },
        { host: "::1", port: 2 },
      ],
      true,
    ],
  ])("%s", (url, nodes, isCluster) => expect(readRedisUrl(url)).toMatchObject({ nodes, isCluster }));

  it("decodes user and password, and reads the database", () => {
    const read = readRedisUrl("rediss://a%40b:p%2Fw@h/3");
    expect(read).toMatchObject({ username: "a@b", password: "p/w", db: 3, tls: {} });
  });

  it("names a file of authorities that can't be read", () => {
    expect(() => readRedisUrl("rediss://h?ca=/nowhere/ca.pem")).toThrow(
      /\?ca= can't be read: \/nowhere\/ca\.pem/,
    );
  });
});
