import { parseArgs } from "node:util";
import { benchCheck } from "./bench-check";
import { benchOrders } from "./bench-orders";
import { benchRebuild } from "./bench-rebuild";
import { benchRelay } from "./bench-relay";
import { benchTelemetry } from "./bench-telemetry";
import { type BenchResult, printResult } from "./result";

/** `npm run bench -- check | rebuild | relay | telemetry [--json]`: two sides of one thing, run in turns, as ratios. */
const BENCHES: Record<string, () => Promise<BenchResult>> = {
  check: benchCheck,
  rebuild: () => benchRebuild(process.env.REDIS_URL),
  relay: benchRelay,
  orders: benchOrders,
  telemetry: benchTelemetry,
};

const { values, positionals } = parseArgs({ allowPositionals: true, options: { json: { type: "boolean" } } });
const names = positionals.length > 0 ? positionals : Object.keys(BENCHES);
const unknown = names.filter(name => !(name in BENCHES));
if (unknown.length > 0) {
  console.error(
    `There is no benchmark "${unknown.join(", ")}". Choose from: ${Object.keys(BENCHES).join(", ")}.`,
  );
  process.exit(2);
}
for (const name of names) printResult(await BENCHES[name]!(), values.json === true);
// Pools and sockets of the benchmark's own are closed; keep-alive timers must not hold the shell.
process.exit(0);
