import { runFilterCommand, USAGE } from "./filter-command";
import { runCommand } from "./run-command";

/** The main of `npm run filter`: rebuilds, promotes and retires filter versions over the API. */
await runCommand(runFilterCommand, USAGE);
