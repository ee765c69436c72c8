import { EventEmitter } from "node:events";
import { expect, test, vi } from "vitest";
import { SupervisedProcesses } from "./supervised-processes";

function supervised() {
  const channel = { unref: vi.fn() };
  const host = Object.assign(new EventEmitter(), { connected: true, channel });
  const processes = new SupervisedProcesses(host as never);
  return { host, channel, processes };
}
const state = (name: string, downReason: string | null) => ({ name, downReason, sinceMs: 0 });

test("without a supervisor, and before its first message, nothing is known", () => {
  const alone = new SupervisedProcesses(null);
  for (const { health, alerts } of [alone, supervised().processes])
    expect([health, alerts]).toEqual([{ status: "unknown" }, []]);
});

test("a part that is down is named with its reason, its effect and its page, until it runs again", () => {
  const { host, channel, processes } = supervised();
  host.emit("message", { processes: [state("lab", "it ended with SIGKILL"), state("relay", null)] });
  expect(processes.health).toEqual({
    status: "degraded",
    running: ["relay"],
    down: [{ name: "lab", reason: "it ended with SIGKILL", since: "1970-01-01T00:00:00.000Z" }],
  });
  expect(processes.alerts).toEqual([
    {
      code: "process_down_lab",
      text: "lab is down: it ended with SIGKILL. No scenario runs.",
      href: "/console/lab",
    },
  ]);
  host.emit("message", { processes: [state("lab", null), state("relay", null)] });
  expect(processes.health).toEqual({ status: "ok", running: ["lab", "relay"], down: [] });
  expect(processes.alerts).toEqual([]);
  expect(channel.unref).toHaveBeenCalled();
});

test("a message of another kind changes nothing", () => {
  const { host, processes } = supervised();
  host.emit("message", { processes: [state("lab", null)] });
  for (const message of [null, "x", { processes: "x" }, { processes: [{ name: 1 }] }])
    host.emit("message", message);
  expect(processes.health).toMatchObject({ status: "ok", running: ["lab"] });
});
