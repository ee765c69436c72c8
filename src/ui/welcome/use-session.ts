import { useCallback, useEffect, useRef, useState } from "react";
import { api } from "../api-client";

export type User = { username: string; email: string; createdAt: string };

export type Session =
  | { kind: "loading" | "unreachable" }
  | { kind: "signed-out"; hasJustSignedOut: boolean }
  | { kind: "signed-in"; user: User; isSigningOut: boolean; signOutFailed: boolean };

/** The session as the server knows it. Nothing from the sign-up form is used. */
export function useSession() {
  const [session, setSession] = useState<Session>({ kind: "loading" });
  const isInFlight = useRef(false);

  const load = useCallback(async (signal?: AbortSignal) => {
    setSession({ kind: "loading" });
    const next: Session = await api.account.me.query(undefined, { signal }).then(
      user =>
        user
          ? { kind: "signed-in", user, isSigningOut: false, signOutFailed: false }
          : { kind: "signed-out", hasJustSignedOut: false },
      () => ({ kind: "unreachable" }),
    );
    if (!signal?.aborted) setSession(next);
  }, []);

  useEffect(() => {
    const run = new AbortController();
    void load(run.signal);
    return () => run.abort();
  }, [load]);

  async function signOut(user: User) {
    if (isInFlight.current) return;
    isInFlight.current = true;
    setSession({ kind: "signed-in", user, isSigningOut: true, signOutFailed: false });
    try {
      await api.account.signOut.mutate();
      setSession({ kind: "signed-out", hasJustSignedOut: true });
    } catch {
      setSession({ kind: "signed-in", user, isSigningOut: false, signOutFailed: true });
    } finally {
      isInFlight.current = false;
    }
  }

  return { session, reload: () => void load(), signOut };
}
