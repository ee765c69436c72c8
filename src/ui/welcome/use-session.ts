import { useCallback, useEffect, useRef, useState } from "react";
import { api } from "../api-client";

export type Person = { username: string; email: string; createdAt: string };

export type Session =
  | { kind: "loading" | "unreachable" }
  | { kind: "stranger"; hasLeft: boolean }
  | { kind: "person"; person: Person; isLeaving: boolean; failedToLeave: boolean };

/** Who the server says is here: nothing the browser remembers from the form is used. */
export function useSession() {
  const [session, setSession] = useState<Session>({ kind: "loading" });
  const isLeaving = useRef(false);

  const load = useCallback(async (signal?: AbortSignal) => {
    setSession({ kind: "loading" });
    const next: Session = await api.account.me.query(undefined, { signal }).then(
      person =>
        person
          ? { kind: "person", person, isLeaving: false, failedToLeave: false }
          : { kind: "stranger", hasLeft: false },
      () => ({ kind: "unreachable" }),
    );
    if (!signal?.aborted) setSession(next);
  }, []);

  useEffect(() => {
    const run = new AbortController();
    void load(run.signal);
    return () => run.abort();
  }, [load]);

  async function signOut(person: Person) {
    if (isLeaving.current) return;
    isLeaving.current = true;
    setSession({ kind: "person", person, isLeaving: true, failedToLeave: false });
    try {
      await api.account.signOut.mutate();
      setSession({ kind: "stranger", hasLeft: true });
    } catch {
      setSession({ kind: "person", person, isLeaving: false, failedToLeave: true });
    } finally {
      isLeaving.current = false;
    }
  }

  return { session, reload: () => void load(), signOut };
}
