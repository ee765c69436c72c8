import type { TracedUser } from "../contract";
import { Ago } from "../parts/ago";
import { ConsoleLink } from "../parts/console-link";

type TracedPersonProps = { title: string; person: TracedUser | null; nobody?: string };

export function TracedPerson({ title, person, nobody = "nobody" }: TracedPersonProps) {
  return (
    <p className="flex flex-wrap gap-x-2">
      <span className="w-24 text-soft">{title}</span>
      {person ? (
        <>
          <ConsoleLink
            className="link"
            href={`/console/users?search=${encodeURIComponent(person.username)}&id=${person.id}`}
          >
            <bdi>{person.username}</bdi>
          </ConsoleLink>
          <span className="text-soft">
            signed up <Ago at={person.createdAt} />
          </span>
        </>
      ) : (
        nobody
      )}
    </p>
  );
}
