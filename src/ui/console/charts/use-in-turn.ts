import { useEffect, useState } from "react";

const waiting: (() => void)[] = [];
let isWatching = false;

/** One per frame; a page that is not looked at draws nothing. */
function next(): void {
  waiting.shift()?.();
  isWatching = waiting.length > 0;
  if (isWatching) requestAnimationFrame(next);
}

/** Runs `draw` in a frame of its own, after those that wait already. Returns how to give up its turn. */
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
 * The value, handed on in this component's turn: what takes long to draw, and comes for all charts of a
 * page at once, is drawn over as many frames. While it `waits`, what was handed on before stays.
 */
export function useInTurn<T>(value: T, waits: boolean): T {
  const [shown, setShown] = useState(value);
  useEffect(() => {
    if (!waits) return inTurn(() => setShown(() => value));
  }, [value, waits]);
  return shown;
}
