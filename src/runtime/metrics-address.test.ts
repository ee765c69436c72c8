import { once } from "node:events";
import { createServer } from "node:net";
import { expect, it } from "vitest";
import { requireMetricsAddress } from "./metrics-address";
import { freePort } from "./ports";
import { SetupError } from "./setup-error";

const problemOf = (port: number, host: string) =>
  requireMetricsAddress({ name: "relay", port, host }).catch((error: unknown) => {
    expect(error).toBeInstanceOf(SetupError);
    return (error as Error).message;
  });

it("takes an address that can be listened on", async () => {
  expect(await problemOf(await freePort(), "127.0.0.1")).toBeUndefined();
});

it("names a port in use, and what to do", async () => {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as { port: number };
  expect(await problemOf(port, "127.0.0.1")).toMatch(
    /^The metrics of relay need 127\.0\.0\.1, port \d+\. METRICS_PORT is in use\. Stop the process that uses it, or set/,
  );
  server.close();
});

it("names an address of another machine, and what to set", async () => {
  expect(await problemOf(await freePort(), "203.0.113.1")).toMatch(
    /METRICS_HOST is not an address of this machine\. Set METRICS_HOST to an address of this machine, such as/,
  );
});

it("names a host that can't be resolved", async () => {
  expect(await problemOf(await freePort(), "there-is-no-such-host.invalid")).toMatch(
    /METRICS_HOST can't be resolved\. Set METRICS_HOST to/,
  );
});
