"use client";

import { useQuery } from "@tanstack/react-query";
import { usePathname, useRouter } from "next/navigation";
import { createContext, type ReactNode, use, useEffect } from "react";
import { consoleApi } from "../console-api";
import type { Action, Me, Verdict } from "../contract";
import { Failure } from "../parts/failure";
import { AccessDenied } from "./access-denied";
import { ME_KEY } from "./me-key";

type Session = { user: NonNullable<Me["user"]>; can: Me["can"] };
const SessionContext = createContext<Session | null>(null);

/** Shows its children to users who may open the console. The server decides again on every call. */
export function SessionGate({ children }: { children: ReactNode }) {
  const router = useRouter();
  const pathname = usePathname();
  const me = useQuery({
    queryKey: ME_KEY,
    queryFn: ({ signal }) => consoleApi.session.me.query(undefined, { signal }),
    refetchInterval: 30_000,
    refetchOnWindowFocus: "always",
  });
  const isSignedOut = me.data?.user === null;

  useEffect(() => {
    if (!isSignedOut) return;
    const next = encodeURIComponent(pathname + location.search);
    router.replace(`/console/sign-in?next=${next}`);
  }, [isSignedOut, pathname, router]);

  if (me.data?.user) {
    const { user, can } = me.data;
    if (!can["console.view"]?.allowed)
      return <AccessDenied user={user} reason={can["console.view"]?.reason} />;
    return <SessionContext value={{ user, can }}>{children}</SessionContext>;
  }
  if (me.error) {
    return (
      <main className="mx-auto grid min-h-svh max-w-xl place-items-center">
        <Failure error={me.error} onRetry={() => void me.refetch()} />
      </main>
    );
  }
  return <FrameSkeleton />;
}

export function useSession(): Session {
  const session = use(SessionContext);
  if (!session) throw new Error("useSession needs a SessionGate above it");
  return session;
}

/** The reason of the server why the signed-in user may not do an action; undefined if they may. */
export function useRefusal(): (action: Action) => string | undefined {
  const { user, can } = useSession();
  return action => {
    const verdict = can[action];
    return verdict?.allowed ? undefined : (verdict?.reason ?? `The role ${user.role} may not do this.`);
  };
}

export function useCan(action: Action): Verdict {
  const reason = useRefusal()(action);
  return { allowed: reason === undefined, reason };
}

/** The empty frame while the session is read. */
function FrameSkeleton() {
  return (
    <div className="frame" aria-busy="true">
      <div className="strip">
        <div className="environment" />
      </div>
      <div className="nav">
        <span className="px-2.5 py-1 font-semibold">Floodgate</span>
      </div>
      <main className="main">
        <p role="status" className="text-soft">
          Loading your session…
        </p>
      </main>
    </div>
  );
}
