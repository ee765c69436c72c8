import { SetupError } from "../runtime/setup-error";

/** The order log can't be used before its setup is changed; the message says how. */
export class OrderLogSetupError extends SetupError {}
