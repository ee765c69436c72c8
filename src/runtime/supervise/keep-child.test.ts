import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, expect, test, vi } from "vitest";
import { LogFile } from "./child-log";
import { type ChildSpec, keepChild } from "./keep-child";
import type { KeptProcess } from "./keep-running";
import { spawnNode } from "./node-child";
import { ProcessStates } from "./process-states";

const IDLE = "setInterval(() => {}, 1000);";
const folder = mkdtempSync(join(tmpdir(), "floodgate-children-"));
const running: KeptProcess[] = [];
afterEach(async () => void (await Promise.all(running.splice(0).map(kept => kept.stop()))));
afterAll(() => rmSync(folder, { recursive: true }));

const patient = { timeout: 20_000, interval: 20 };
// Long enough that none of these counts as up again.
const pauses = { baseMs: 1, maxMs: 20, steadyMs: 60_000 };

function children() {
  const states = new ProcessStates();
  const say = vi.fn();
  const keep = (name: string, code: string, more: Partial<ChildSpec> = {}) => {
    const start = vi.fn(() => spawnNode(["-e", code], { cwd: folder, env: process.env, output: "pipe" }));
    const file = new LogFile(join(folder, `${name}.log`));
    const stopSteps = [{ signal: "SIGTERM" as const, waitMs: 5_000 }];
    const spec = { name, start, file, ...more };
    const kept = keepChild(spec, { states, say, stopSteps, pauses });
    running.push(kept);
    return { kept, start, log: () => readFileSync(file.path, "utf8") };
  };
  return { states, say, keep };
}

test("a child that refuses its settings: one line with its own words, others go on, retries stay silent", async () => {
  const { states, say, keep } = children();
  const lab = keep("lab", IDLE);
  const refuse = `process.send({ endReason: "Kinesis needs a region: set AWS_REGION." }, () => {
    console.error("refused");
    process.exit(1);
  });`;
  const aggregator = keep("aggregator", refuse);
  await vi.waitFor(() => expect(aggregator.start.mock.calls.length).toBeGreaterThan(5), patient);
  expect(states.down).toMatchObject([
    { name: "aggregator", downReason: "Kinesis needs a region: set AWS_REGION" },
  ]);
  const shown = say.mock.calls.flat().filter(line => line !== "refused");
  expect(shown).toEqual([
    "aggregator is down: Kinesis needs a region: set AWS_REGION. It is started again, with pauses of up to 1 s",
  ]);
  expect(say.mock.calls.flat().filter(line => line === "refused").length).toBeLessThanOrEqual(1);
  expect(aggregator.log().split("refused").length).toBeGreaterThan(4);
  expect(lab.kept.pid()).toBeDefined();
});

test("a child that is killed ten times in a row never ends the others", async () => {
  const { states, say, keep } = children();
  const onGiveUp = vi.fn();
  const server = keep("server", IDLE, { onGiveUp });
  const lab = keep("lab", IDLE);
  for (let kills = 0; kills < 10; kills += 1) {
    const pid = await vi.waitFor(() => {
      const now = lab.kept.pid();
      expect(now).toBeDefined();
      return now!;
    }, patient);
    process.kill(pid, "SIGKILL");
    await vi.waitFor(() => expect(lab.kept.pid()).not.toBe(pid), patient);
  }
  await vi.waitFor(() => expect(lab.start).toHaveBeenCalledTimes(11), patient);
  expect(states.down.map(({ name }) => name)).toEqual(["lab"]);
  expect(say).toHaveBeenCalledOnce();
  expect([server.start.mock.calls.length, onGiveUp.mock.calls.length]).toEqual([1, 0]);
});

test("a server that was restarted, and listens late, is told the states of all parts", async () => {
  const { states, keep } = children();
  const listen = `setTimeout(() => process.on("message", message => console.log(JSON.stringify(message))), 200);
    process.channel.unref(); ${IDLE}`;
  const server = keep("server", listen, { onGiveUp: () => {}, readsStates: true });
  keep("lab", IDLE);
  states.set("Redis", "its data files are damaged");
  await vi.waitFor(() => expect(server.log()).toContain("its data files are damaged"), patient);
  const before = server.log().length;
  await server.kept.restart();
  await vi.waitFor(() => expect(server.log().slice(before)).toContain("its data files are damaged"), patient);
});
