import type { ChildProcess } from "node:child_process";
import type { StopStep } from "../process-info";
import { followOutput, type LogFile } from "./child-log";
import { type ForEver, type KeptProcess, keepRunning } from "./keep-running";
import { endReport, type ProcessStates } from "./process-states";
import { RepeatFilter } from "./repeat-filter";

export type ChildSpec = {
  name: string;
  start: () => ChildProcess;
  /** Null: its output goes where it is inherited to. */
  file: LogFile | null;
  /** A part that nothing works without gets this call when it ends again and again. Others are tried for ever. */
  onGiveUp?: (reason: string) => void;
  /** Whether it is told the states of all parts. */
  readsStates?: boolean;
};

export type ChildDeps = {
  states: ProcessStates;
  say: (line: string) => void;
  stopSteps: StopStep[];
  /** Whether a line only repeats what the terminal says in another line. */
  isKnown?: (line: string) => boolean;
  pauses?: ForEver["pauses"];
};

/** Keeps one child running, with its output in its file and one line in the terminal for each change. */
export function keepChild(spec: ChildSpec, deps: ChildDeps): KeptProcess {
  const { states, say, stopSteps, pauses, isKnown = () => false } = deps;
  const { name, file, onGiveUp, readsStates = false } = spec;
  const repeats = new RepeatFilter();
  let kept: KeptProcess | undefined;
  let endReason: string | undefined;

  const start = () => {
    const child = spec.start();
    endReason = undefined;
    child.on("message", message => {
      endReason = endReport.safeParse(message).data?.endReason ?? endReason;
    });
    // A retry that fails as the last one did says nothing new.
    const show = (line: string) => {
      if ((kept?.downReason ?? null) === null && !isKnown(line) && repeats.isNew(line)) say(line);
    };
    if (file) followOutput(child, file, show);
    if (readsStates) states.reportTo(child);
    return child;
  };

  states.set(name, null);
  const shared = { name, start, stopSteps, log: say };
  if (onGiveUp) kept = keepRunning({ ...shared, onGiveUp });
  else
    kept = keepRunning({
      ...shared,
      forEver: {
        pauses,
        explain: how => ({ reason: endReason ?? `it ended with ${how}` }),
        onChange: reason => states.set(name, reason),
      },
    });
  return kept;
}
