import { useState } from "react";
import type { Amount } from "./amount-of";
import { addSample, rateOf, type Sample, secondsLeft } from "./work-rate";

type Seen = { unit: string | undefined; at: string | undefined; samples: Sample[] };

/** Rate and remaining time of the work, from successive reports. */
export function useWorkRate(amount: Amount | null, at: string | undefined) {
  const [seen, setSeen] = useState<Seen>({ unit: undefined, at: undefined, samples: [] });
  if (amount && at !== undefined && at !== seen.at) {
    const earlier = seen.unit === amount.unit ? seen.samples : [];
    const samples = addSample(earlier, { at: Date.parse(at), done: amount.done });
    setSeen({ unit: amount.unit, at, samples });
  }
  const rate = amount && seen.unit === amount.unit ? rateOf(seen.samples) : null;
  return { rate, remainingSeconds: amount && secondsLeft(rate, amount.done, amount.total) };
}
