/** Whether the `n`th of many, counted from 1, falls to a share of them: spread evenly, and so many in the end. */
export const fallsToShare = (n: number, share: number): boolean =>
  Math.floor(n * share) > Math.floor((n - 1) * share);
