import { useEffect, useState } from "react";

const waiting: (() => void)[] = [];
let isWatching = false;

/** Draws one chart per frame; a hidden page draws none. */
function next(): void {
  waiting.shift()?.();
  isWatching = waiting.length > 0;
  if (isWatching) requestAnimationFrame(next);
}

/** Runs `draw` in a frame of its own, after those already queued. Returns a function that cancels it. */
export function inTurn(draw: () => void): () => void {
  waiting.push(draw);
  if (!isWatching) requestAnimationFrame(next);
  isWatching = true;
  return () => {
    const at = waiting.indexOf(draw);
    if (at >= 0) waiting.splice(at, 1);
  };
}

/**
 * Returns the value in a frame of this component: all charts of a page get new data at once, and
 * drawing them in one frame takes too long. While `isPaused`, the value returned before stays.
 */
export function useInTurn<T>(value: T, isPaused: boolean): T {
  const [shown, setShown] = useState(value);
  useEffect(() => {
    if (!isPaused) return inTurn(() => setShown(() => value));
  }, [value, isPaused]);
  return shown;
}
