import type { TracedUser } from "../contract";
import { Ago } from "../parts/ago";
import { ConsoleLink } from "../parts/console-link";

type TracedUserLineProps = { title: string; user: TracedUser | null };

export function TracedUserLine({ title, user }: TracedUserLineProps) {
  return (
    <p className="flex flex-wrap gap-x-2">
      <span className="w-24 text-soft">{title}</span>
      {user ? (
        <>
          <ConsoleLink
            className="link"
            href={`/console/users?search=${encodeURIComponent(user.username)}&id=${user.id}`}
          >
            <bdi>{user.username}</bdi>
          </ConsoleLink>
          <span className="text-soft">
            signed up <Ago at={user.createdAt} />
          </span>
        </>
      ) : (
        "–"
      )}
    </p>
  );
}
