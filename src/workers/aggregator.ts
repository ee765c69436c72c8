import { aggregatorEnv } from "../process/order-env";
import { runMain } from "../process/run-main";
import { runAggregator } from "./run-aggregator";

runMain("aggregator", aggregatorEnv, runAggregator);
