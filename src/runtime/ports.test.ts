import { createServer } from "node:net";
import { expect, test } from "vitest";
import { freePort, onFreePort, requireFreePort } from "./ports";

test("a port in use is refused with advice", async () => {
  const port = await freePort();
  await requireFreePort(port, "127.0.0.1");
  const server = createServer().listen(port, "127.0.0.1");
  await new Promise(resolve => server.once("listening", resolve));
  await expect(requireFreePort(port, "127.0.0.1")).rejects.toThrow(
    `Port ${port} is in use. Stop the process that uses it, or start with PORT=${port + 1} npm start`,
  );
  server.close();
});

test("an address of another machine is named in the error", async () => {
  await expect(requireFreePort(3000, "203.0.113.1")).rejects.toThrow(/Cannot listen on HOST=203\.0\.113\.1/);
});

test("a port that is in use by now is replaced, other errors are not retried", async () => {
  const tried: number[] = [];
  const result = await onFreePort(async port => {
    tried.push(port);
    if (tried.length < 3) throw new Error("bind: Address already in use");
    return "up";
  });
  expect([result, tried.length]).toEqual(["up", 3]);
  await expect(onFreePort(() => Promise.reject(new Error("disk full")))).rejects.toThrow("disk full");
});
