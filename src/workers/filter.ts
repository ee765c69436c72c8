import { constants, setPriority } from "node:os";
import { filterEnv } from "../process/filter-env";
import { runMain } from "../process/run-main";
import { runFilter } from "./run-filter";

// A rebuild takes every core it can get: a person who waits for an answer comes first.
setPriority(constants.priority.PRIORITY_BELOW_NORMAL);
runMain("filter", filterEnv, runFilter);
