import { useEffect, useState } from "react";
import type { SignInFailure } from "./sign-in";
import { readProvider, startSingleSignOn } from "./single-sign-on";

/** Shown only while the server reaches an OpenID Connect provider. Its space is reserved, so that the form does not move. */
export function SingleSignOnButton({ onFailure }: { onFailure: (failure: SignInFailure) => void }) {
  const [provider, setProvider] = useState<string | null>(null);
  const [isLeaving, setIsLeaving] = useState(false);

  useEffect(() => {
    const request = new AbortController();
    readProvider(request.signal).then(setProvider, () => {});
    return () => request.abort();
  }, []);

  async function leave() {
    if (isLeaving) return;
    setIsLeaving(true);
    const url = await startSingleSignOn(location.search).catch(() => null);
    if (url) return location.assign(url);
    setIsLeaving(false);
    onFailure({ title: `${provider} does not answer.`, text: "Try again, or sign in with your password." });
  }

  return (
    <div className="mt-4 min-h-10">
      {provider && (
        <button
          type="button"
          className="btn btn-outline min-h-10! w-full"
          aria-busy={isLeaving}
          onClick={() => void leave()}
        >
          Sign in with {provider}
        </button>
      )}
    </div>
  );
}
