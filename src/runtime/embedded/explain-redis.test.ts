import { expect, test } from "vitest";
import { explainRedis } from "./explain-redis";

const DAMAGED = "its data files are damaged, or a newer version wrote them";

// As Redis 7.0 prints them.
test.each([
  "# Can't handle RDB format version 99",
  "# Internal error in RDB reading offset 0, function at rdb.c:413 -> Invalid LZF compressed string",
  "# Bad file format reading the append only file appendonly.aof.2.incr.aof: make a backup of your AOF file",
  "# Short read or OOM loading DB. Unrecoverable error, aborting now.",
  "*** FATAL AOF MANIFEST FILE ERROR ***",
  "# Unable to obtain the AOF file appendonly.aof.2.base.rdb length. stat: No such file or directory",
])("%s: the files are damaged, and the advice keeps them", line => {
  const { reason, advice } = explainRedis("exit code 1", {
    endOfLog: `1:M * RDB is base AOF\n${line}`,
    dir: "/d",
  });
  expect(reason).toBe(DAMAGED);
  expect(advice).toMatch(
    /Nothing was deleted[\s\S]*Copy \/d [\s\S]*redis-check-aof --fix \/d\/appendonlydir/,
  );
});

test("a reason for others names no folder", () => {
  expect(explainRedis("SIGKILL", { endOfLog: "1:M * Ready to accept connections", dir: "/d" })).toEqual({
    reason: "it ended with SIGKILL",
  });
});
