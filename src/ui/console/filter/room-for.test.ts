import { expect, test } from "vitest";
import { roomFor } from "./room-for";

const master = (hasRoom: boolean | null) => ({
  node: "redis",
  neededBytes: 1,
  usedBytes: 1,
  limitBytes: hasRoom === null ? null : 9,
  hasRoom,
});

test.each([
  [[true, true], "room"],
  [[true, null], "unknown"],
  [[], "unknown"],
] as const)("masters with room %j give %s", (hasRoom, room) => {
  expect(roomFor({ masters: hasRoom.map(master) })).toBe(room);
});
