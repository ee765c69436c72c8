import { spawn } from "node:child_process";
import { expect, test, vi } from "vitest";
import { isRunning } from "../process-info";
import { keepRunning } from "./keep-running";

const limits = { crashes: 3, withinMs: 60_000, baseDelayMs: 1, maxDelayMs: 5 };
const stopSteps = [{ signal: "SIGTERM" as const, waitMs: 5_000 }];
const IDLE = "setInterval(() => {}, 1000)";

function keep(...scripts: string[]) {
  const start = vi.fn(() => {
    const script = scripts.length > 1 ? scripts.shift()! : scripts[0]!;
    return spawn(process.execPath, ["-e", script], { detached: true, stdio: "ignore" });
  });
  const onGiveUp = vi.fn();
  const log = vi.fn();
  const kept = keepRunning({ name: "worker", start, stopSteps, limits, log, onGiveUp });
  return { kept, start, log, onGiveUp };
}

test("a crashed process is started again", async () => {
  const { kept, start, log, onGiveUp } = keep("process.exit(3)", IDLE);
  await vi.waitFor(() => expect(start).toHaveBeenCalledTimes(2), 5_000);
  expect(log).toHaveBeenCalledWith("worker ended with exit code 3; starting it again");
  process.kill(kept.pid()!, "SIGKILL");
  await vi.waitFor(() => expect(start).toHaveBeenCalledTimes(3), 5_000);
  await kept.stop();
  expect(onGiveUp).not.toHaveBeenCalled();
});

test("after too many crashes it stops once, with the reason; a restart tries again", async () => {
  const { kept, start, onGiveUp } = keep("process.exit(0)", "process.exit(1)", "process.exit(7)", IDLE);
  await vi.waitFor(() => expect(onGiveUp).toHaveBeenCalled(), 5_000);
  expect(onGiveUp).toHaveBeenCalledExactlyOnceWith(
    "worker ended 3 times within 60 s, at last with exit code 7",
  );
  expect(kept.pid()).toBeUndefined();
  await kept.restart();
  expect(start).toHaveBeenCalledTimes(4);
  expect(isRunning(kept.pid()!)).toBe(true);
  await kept.stop();
});

test("a program that is not there counts as a crash", async () => {
  const start = () => spawn("/nowhere/program", [], { detached: true });
  const onGiveUp = vi.fn();
  keepRunning({ name: "worker", start, stopSteps, limits, log: () => {}, onGiveUp });
  await vi.waitFor(() => expect(onGiveUp).toHaveBeenCalledWith(expect.stringContaining("ENOENT")), 5_000);
});

test("stop ends the process and what it started, even one that ignores SIGTERM", async () => {
  const family = `
    process.on("SIGTERM", () => {});
    const child = require("node:child_process").spawn(process.execPath, ["-e", ${JSON.stringify(IDLE)}]);
    console.log(child.pid);
    ${IDLE}`;
  const leader = spawn(process.execPath, ["-e", family], {
    detached: true,
    stdio: ["ignore", "pipe", "ignore"],
  });
  const grandchild = Number(await new Promise(resolve => leader.stdout.once("data", resolve)));
  const kept = keepRunning({
    name: "worker",
    start: () => leader,
    stopSteps: [{ signal: "SIGTERM", waitMs: 100 }],
    log: () => {},
    onGiveUp: () => {},
  });
  await kept.stop();
  expect(isRunning(leader.pid!)).toBe(false);
  await vi.waitFor(() => expect(isRunning(grandchild)).toBe(false), 5_000);
});

test("restarts asked for at once follow each other, and none follows a stop", async () => {
  const { kept, start, log } = keep(IDLE);
  await Promise.all([kept.restart(), kept.restart(), kept.stop()]);
  await kept.restart();
  expect(kept.pid()).toBeUndefined();
  expect(start).toHaveBeenCalledTimes(1);
  expect(log).not.toHaveBeenCalled();
});
