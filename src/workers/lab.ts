import { labEnv } from "../process/order-env";
import { runMain } from "../process/run-main";
import { runLab } from "./run-lab";

runMain("lab", labEnv, runLab);
