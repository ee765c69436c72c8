import type { OrderTrace } from "../contract";
import { ExactTime } from "./exact-time";

type Stamp = NonNullable<NonNullable<OrderTrace["log"]>["orders"][number]["stamp"]>;

/** Rows of a list of facts. */
export function StampFacts({ stamp: { at, producer, sequence } }: { stamp: Stamp }) {
  return (
    <>
      <dt>Stamped</dt>
      <dd>
        <ExactTime at={at} />
      </dd>
      <dt>Producer</dt>
      <dd>
        {producer}, its order {sequence}
      </dd>
    </>
  );
}
