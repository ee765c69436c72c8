import { runCommand } from "./run-command";
import { runSymbolsCommand, USAGE } from "./symbols-command";

/** The main of `npm run symbols`: splits and merges symbols over the API. */
await runCommand(runSymbolsCommand, USAGE);
