import { EventEmitter } from "node:events";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { onShutdown } from "./shutdown";

beforeEach(() => vi.useFakeTimers());
afterEach(() => vi.useRealTimers());

function setUp({ stop = async () => {}, connected = false, isTTY = false } = {}) {
  const host = Object.assign(new EventEmitter(), {
    exit: vi.fn(),
    connected,
    channel: { unref: vi.fn() },
    stdout: { isTTY },
  });
  const logger = { info: vi.fn(), error: vi.fn() };
  const spy = vi.fn(stop);
  const trigger = onShutdown(spy, { timeoutMs: 5_000, logger, host: host as never });
  return { host, logger, stop: spy, trigger };
}

test.each(["SIGINT", "SIGTERM"])("%s stops once and exits 0", async signal => {
  const { host, stop } = setUp();
  host.emit(signal, signal);
  await vi.advanceTimersByTimeAsync(0);
  expect(stop).toHaveBeenCalledExactlyOnceWith(signal);
  expect(host.exit).toHaveBeenCalledExactlyOnceWith(0);
  expect(vi.getTimerCount()).toBe(0);
});

test("the same Ctrl-C forwarded by npm is not a second signal; a later one forces exit 1", async () => {
  const { host, stop } = setUp({ stop: () => new Promise(() => {}) });
  host.emit("SIGINT", "SIGINT");
  host.emit("SIGINT", "SIGINT");
  await vi.advanceTimersByTimeAsync(400);
  host.emit("SIGTERM", "SIGTERM");
  expect(host.exit).not.toHaveBeenCalled();
  await vi.advanceTimersByTimeAsync(200);
  host.emit("SIGINT", "SIGINT");
  expect(host.exit).toHaveBeenCalledExactlyOnceWith(1);
  expect(stop).toHaveBeenCalledOnce();
});

test("a stop that hangs is forced to exit 1 after the timeout", async () => {
  const { host } = setUp({ stop: () => new Promise(() => {}) });
  host.emit("SIGTERM", "SIGTERM");
  await vi.advanceTimersByTimeAsync(4_999);
  expect(host.exit).not.toHaveBeenCalled();
  await vi.advanceTimersByTimeAsync(1);
  expect(host.exit).toHaveBeenCalledExactlyOnceWith(1);
});

test("a stop that fails is logged with its cause and exits 1", async () => {
  const { host, logger } = setUp({ stop: () => Promise.reject(new Error("no")) });
  host.emit("SIGTERM", "SIGTERM");
  await vi.advanceTimersByTimeAsync(0);
  expect(host.exit).toHaveBeenCalledExactlyOnceWith(1);
  expect(logger.error.mock.calls[0]![0]).toEqual({ err: new Error("no") });
});

test("the end of the parent stops the child; without a parent there is no listener", async () => {
  const child = setUp({ connected: true });
  expect(child.host.channel.unref).toHaveBeenCalled();
  child.host.emit("disconnect");
  await vi.advanceTimersByTimeAsync(0);
  expect(child.host.exit).toHaveBeenCalledExactlyOnceWith(0);
  expect(setUp().host.listenerCount("disconnect")).toBe(0);
});

test("a hang-up stops only with a terminal, and never forces an exit", async () => {
  expect(setUp({ isTTY: true }).host.listenerCount("SIGHUP")).toBe(1);
  expect(setUp({ isTTY: false }).host.listenerCount("SIGHUP")).toBe(0);
  const { host, stop } = setUp({ isTTY: true, stop: () => new Promise(() => {}) });
  host.emit("SIGHUP", "SIGHUP");
  await vi.advanceTimersByTimeAsync(1_000);
  host.emit("SIGHUP", "SIGHUP");
  expect(stop).toHaveBeenCalledOnce();
  expect(host.exit).not.toHaveBeenCalled();
});

test("the returned function exits with the given code", async () => {
  const { host, trigger, stop } = setUp();
  trigger("the server keeps crashing", 1);
  host.emit("SIGTERM", "SIGTERM");
  await vi.advanceTimersByTimeAsync(0);
  expect(stop).toHaveBeenCalledExactlyOnceWith("the server keeps crashing");
  expect(host.exit).toHaveBeenCalledExactlyOnceWith(1);
});
