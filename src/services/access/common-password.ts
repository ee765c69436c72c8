import { ZxcvbnFactory } from "@zxcvbn-ts/core";
import { adjacencyGraphs, dictionary } from "@zxcvbn-ts/language-common";

/** Fewer guesses than this, as the estimator counts them, and the password is as good as on a list. */
const MIN_GUESSES = 1e6;
/** Looking for patterns takes the event loop, and more than its share for a long text. */
const MAX_CODE_POINTS = 40;

let estimator: ZxcvbnFactory | undefined;

/**
 * Whether a password is on the list of leaked passwords, or is one of them with a usual change: doubled, with digits at
 * its end or in place of letters, a row of keys, a sequence. Long passwords are judged by their beginning.
 */
export function isCommonPassword(password: string): boolean {
  estimator ??= new ZxcvbnFactory({ dictionary, graphs: adjacencyGraphs });
  const beginning = [...password].slice(0, MAX_CODE_POINTS).join("");
  return estimator.check(beginning.toLowerCase()).guesses < MIN_GUESSES;
}
