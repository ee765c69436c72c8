import { expect, test, vi } from "vitest";
import { createLogger } from "./logger";

test("writes JSON with readable level and time, and hides secrets", () => {
  const lines: string[] = [];
  const write = vi.spyOn(process.stdout, "write");
  const logger = createLogger("relay", "warn");
  write.mockRestore();
  // pino writes to the descriptor itself, so its stream is replaced for the test.
  const stream = Reflect.get(
    logger,
    Object.getOwnPropertySymbols(logger).find(s => String(s) === "Symbol(pino.stream)")!,
  );
  stream.write = (line: string) => lines.push(line);

  logger.info("not shown");
  logger.warn({ password: "hunter22", client: { token: "abc" }, count: 3 }, "hello");

  expect(lines).toHaveLength(1);
  const entry = JSON.parse(lines[0]!);
  expect(entry).toMatchObject({ level: "warn", name: "relay", msg: "hello", count: 3 });
  expect(Date.parse(entry.time)).toBeGreaterThan(0);
  expect(lines[0]).not.toMatch(/hunter22|abc/);
});
