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

/** `readyAtStart`: the start from which on the process answers. */
function keepForEver({ readyAtStart }: { readyAtStart: number }, ...scripts: string[]) {
  const start = vi.fn(() => {
    const script = scripts.length > 1 ? scripts.shift()! : scripts[0]!;
    return spawn(process.execPath, ["-e", script], { detached: true, stdio: "ignore" });
  });
  const onChange = vi.fn();
  const log = vi.fn();
  const isReady = async () => start.mock.calls.length >= readyAtStart;
  const forEver = { onChange, pauses: { baseMs: 1, maxMs: 5, steadyMs: 1 }, isReady };
  const kept = keepRunning({ name: "worker", start, stopSteps, log, forEver });
  return { kept, start, log, onChange };
}

test("one that need not run is restarted for ever, and told as down once, not per retry", async () => {
  const { kept, start, log, onChange } = keepForEver({ readyAtStart: 1_000 }, "process.exit(3)");
  await vi.waitFor(() => expect(start.mock.calls.length).toBeGreaterThan(8), 20_000);
  expect(onChange).toHaveBeenCalledExactlyOnceWith("it ended with exit code 3");
  expect(log).toHaveBeenCalledExactlyOnceWith(
    "worker is down: it ended with exit code 3. It is started again, with pauses of up to 1 s",
  );
  expect(kept.downReason).toBe("it ended with exit code 3");
  await kept.stop();
});

test("one that stays up after a crash is told as running again, and another reason is told, too", async () => {
  const { kept, log, onChange } = keepForEver(
    { readyAtStart: 4 },
    "process.exit(3)",
    "process.exit(3)",
    "process.exit(4)",
    IDLE,
  );
  await vi.waitFor(() => expect(onChange).toHaveBeenLastCalledWith(null), 20_000);
  expect(kept.downReason).toBeNull();
  expect(onChange.mock.calls).toEqual([["it ended with exit code 3"], ["it ended with exit code 4"], [null]]);
  expect(log).toHaveBeenLastCalledWith("worker runs again");
  process.kill(kept.pid()!, "SIGKILL");
  await vi.waitFor(() => expect(onChange).toHaveBeenCalledWith("it ended with SIGKILL"), 5_000);
  await kept.stop();
});

test("one that said why it ends is told with these words, and one that does not answer is not up", async () => {
  const onChange = vi.fn();
  let answers = false;
  const kept = keepRunning({
    name: "worker",
    start: () => spawn(process.execPath, ["-e", IDLE], { detached: true, stdio: "ignore" }),
    failed: "exit code 1",
    stopSteps,
    log: () => {},
    forEver: {
      onChange,
      pauses: { baseMs: 1, maxMs: 5, steadyMs: 1 },
      explain: how => ({ reason: `its files are damaged (${how})` }),
      isReady: async () => answers,
    },
  });
  expect(kept.downReason).toBe("its files are damaged (exit code 1)");
  await vi.waitFor(() => expect(kept.pid()).toBeDefined(), 5_000);
  expect(onChange).toHaveBeenCalledTimes(1);
  answers = true;
  await vi.waitFor(() => expect(onChange).toHaveBeenLastCalledWith(null), 5_000);
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
