import { runCommand } from "./run-command";
import { runSymbolsCommand, USAGE } from "./symbols-command";

/** The main of `npm run symbols`: splits, merges, lists and halts symbols over the API. */
await runCommand(runSymbolsCommand, USAGE);
