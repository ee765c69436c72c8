import { runCommand } from "./run-command";
import { runShardsCommand, USAGE } from "./shards-command";

/** The main of `npm run shards`: splits and merges shards of the order log over the API. */
await runCommand(runShardsCommand, USAGE);
