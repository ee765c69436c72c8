import { Ago } from "../parts/ago";

const exact = new Intl.DateTimeFormat("en", {
  day: "numeric",
  month: "short",
  year: "numeric",
  hour: "2-digit",
  minute: "2-digit",
  second: "2-digit",
  fractionalSecondDigits: 3,
  hourCycle: "h23",
});

type ExactTimeProps = {
  at: string;
  /** The stage before: how long the order took from there. */
  since?: string | null;
};

/** A time to the millisecond, how long ago that was, and how long it took. */
export function ExactTime({ at, since }: ExactTimeProps) {
  const tookMs = since ? new Date(at).getTime() - new Date(since).getTime() : null;
  return (
    <>
      {exact.format(new Date(at))}{" "}
      <span className="text-soft">
        <Ago at={at} />
        {tookMs !== null && tookMs >= 0 && `, ${tookMs} ms later`}
      </span>
    </>
  );
}
