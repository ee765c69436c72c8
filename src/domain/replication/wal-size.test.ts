import { expect, it } from "vitest";
import { formatWalSize, WAL_MB } from "./wal-size";

it.each([
  [0, "0 kB"],
  [56, "0.1 kB"],
  [16 * WAL_MB, "16 MB"],
  [512 * WAL_MB, "512 MB"],
  [1_023.6 * WAL_MB, "1 GB"],
  [1_024 * WAL_MB, "1 GB"],
  [1_536 * WAL_MB, "1.5 GB"],
  [20 * 1_024 * WAL_MB, "20 GB"],
  [3 * 1_024 ** 3 * WAL_MB, "3072 TB"],
])("writes %d bytes as %s", (bytes, text) => expect(formatWalSize(bytes)).toBe(text));
