import { runCommand } from "./run-command";
import { runSymbolsCommand, USAGE } from "./symbols-command";

/** The main of `npm run symbols`: marks symbols hot and cools them down from scripts, over the API. */
await runCommand(runSymbolsCommand, USAGE);
