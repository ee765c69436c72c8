import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { inTurn } from "./use-in-turn";

let frames: (() => void)[] = [];
const passFrame = () => frames.splice(0).forEach(run => void run());

beforeEach(() => {
  frames = [];
  vi.stubGlobal("requestAnimationFrame", (run: () => void) => frames.push(run));
});
afterEach(() => void vi.unstubAllGlobals());

it("draws one chart per frame, in the order of arrival, without cancelled ones", () => {
  const drawn: string[] = [];
  inTurn(() => drawn.push("a"));
  const cancel = inTurn(() => drawn.push("b"));
  inTurn(() => drawn.push("c"));
  expect(frames).toHaveLength(1);
  cancel();
  passFrame();
  expect(drawn).toEqual(["a"]);
  passFrame();
  expect(drawn).toEqual(["a", "c"]);
  expect(frames).toHaveLength(0);
  inTurn(() => drawn.push("d"));
  passFrame();
  expect(drawn).toEqual(["a", "c", "d"]);
});
