/** Whether the `n`th of many, counted from 1, falls to a share of them: spread evenly, and so many in the end. */
export const fallsToRatio = (n: number, ratio: number): boolean =>
  Math.floor(n * ratio) > Math.floor((n - 1) * ratio);
