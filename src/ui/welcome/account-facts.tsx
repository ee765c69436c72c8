import { relativeTime } from "./relative-time";
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
