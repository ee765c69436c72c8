import { expect, it } from "vitest";
import { Steps } from "./steps";

function record() {
  let text = "";
  const steps = new Steps(part => {
    text += part;
  });
  return { steps, read: () => text };
}

it("shows each step on one line with its time", async () => {
  const { steps, read } = record();
  expect(await steps.run("Postgres", () => 5)).toBe(5);
  expect(read()).toMatch(/^ {2}Postgres … \d+\.\d s\n$/);
});

it("prints lines during a step on separate lines", async () => {
  const { steps, read } = record();
  await steps.run("Redis", () => steps.say("installing redis-server"));
  expect(read()).toMatch(/^ {2}Redis … \ninstalling redis-server\n {2}Redis: \d+\.\d s\n$/);
});

it("ends the line of a step that fails", async () => {
  const { steps, read } = record();
  await expect(steps.run("Build", () => Promise.reject(new Error("no disk")))).rejects.toThrow("no disk");
  expect(read()).toBe("  Build … failed\n");
});
