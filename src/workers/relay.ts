import { relayEnv } from "../process/relay-env";
import { runMain } from "../process/run-main";
import { runRelay } from "./run-relay";

runMain("relay", relayEnv, runRelay);
