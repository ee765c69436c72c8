import type { ConsoleClient, ReservedRow } from "../contract";
import type { Confirmation } from "../parts/confirm-dialog";

export function removeWord(
  api: Pick<ConsoleClient, "reserved">,
  { id, pattern, kind }: ReservedRow,
): Confirmation {
  return {
    title: `Release ${pattern}`,
    consequence: `A new user can take ${kind === "exact" ? "this name" : "names that only this word reserved"} after five seconds at most. Reserving it again does not take a name back.`,
    reach: "large",
    verb: `Release ${pattern}`,
    run: reason => api.reserved.remove.mutate({ id, reason }),
    done: `${pattern} is free to take`,
    refresh: ["reserved.list"],
  };
}
