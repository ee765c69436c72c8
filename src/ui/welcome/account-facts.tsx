import type { User } from "./use-session";

const exact = new Intl.DateTimeFormat("en", { dateStyle: "long", timeStyle: "medium" });

/** The account; without a user, a skeleton of the same shape. */
export function AccountFacts({ user }: { user?: User }) {
  const created = user && new Date(user.createdAt);
  return (
    <dl className="facts" aria-hidden={!user}>
      <dt>Username</dt>
      <dd>{user ? <bdi>{user.username}</bdi> : <span className="skeleton">a username</span>}</dd>
      <dt>E-mail</dt>
      <dd>{user ? user.email : <span className="skeleton">name@example.com</span>}</dd>
      <dt>Created</dt>
      <dd>
        {created ? (
          <time dateTime={created.toISOString()} title={exact.format(created)}>
            {relativeTime(created, new Date())}
          </time>
        ) : (
          <span className="skeleton">just now</span>
        )}
      </dd>
    </dl>
  );
}

const units = [
  ["year", 31_536_000],
  ["month", 2_592_000],
  ["day", 86_400],
  ["hour", 3_600],
  ["minute", 60],
] as const;

/** "3 minutes ago"; "just now" within the first minute, also for a server clock slightly ahead. */
function relativeTime(then: Date, now: Date): string {
  const seconds = (now.getTime() - then.getTime()) / 1_000;
  const format = new Intl.RelativeTimeFormat("en", { numeric: "auto" });
  for (const [unit, size] of units) {
    if (seconds >= size) return format.format(-Math.floor(seconds / size), unit);
  }
  return "just now";
}
