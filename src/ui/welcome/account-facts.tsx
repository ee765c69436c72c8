import { relativeTime } from "./relative-time";
import type { Person } from "./use-session";

const exact = new Intl.DateTimeFormat("en", { dateStyle: "long", timeStyle: "medium" });

/** The account as the server tells it; without a person, a skeleton of the same shape. */
export function AccountFacts({ person }: { person?: Person }) {
  const created = person && new Date(person.createdAt);
  return (
    <dl className="facts" aria-hidden={!person}>
      <dt>Username</dt>
      <dd>{person ? <bdi>{person.username}</bdi> : <span className="skeleton">a username</span>}</dd>
      <dt>E-mail</dt>
      <dd>{person ? person.email : <span className="skeleton">name@example.com</span>}</dd>
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
