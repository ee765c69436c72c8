import { engineEnv } from "../process/order-env";
import { runMain } from "../process/run-main";
import { runEngine } from "./run-engine";

runMain("engine", engineEnv, runEngine);
