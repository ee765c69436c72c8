import { runFilterCommand, USAGE } from "./filter-command";
import { runCommand } from "./run-command";

/** The main of `npm run filter`: drives the filter's versions from scripts, over the API. */
await runCommand(runFilterCommand, USAGE);
