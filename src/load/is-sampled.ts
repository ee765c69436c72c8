/** Whether the `n`th item, counted from 1, is in a sample of `ratio`; the sampled items are spread evenly. */
export const isSampled = (n: number, ratio: number): boolean =>
  Math.floor(n * ratio) > Math.floor((n - 1) * ratio);
