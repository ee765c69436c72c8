import { useEffect, useState } from "react";
import { loadApi } from "../load-api";
import { statusFromAvailability, statusFromError, type UsernameStatus } from "./username-status";

const debounceMs = 250;
const responseTimeoutMs = 5_000;
/** After this many unknown results the form stops checking. The sign-up decides. */
const maxTries = 5;
const minRetryMs = 500;
const maxRetryMs = 30_000;

const sleep = (ms: number) => new Promise<void>(wake => setTimeout(wake, ms));

async function checkOnce(username: string, signal: AbortSignal): Promise<UsernameStatus> {
  const timeout = sleep(responseTimeoutMs).then(
    (): UsernameStatus => ({ kind: "unknown", why: "unreachable" }),
  );
  const response = loadApi()
    .then(api => api.username.check.query({ username }, { signal }))
    .then(statusFromAvailability, statusFromError);
  return Promise.race([response, timeout]);
}

async function watch(username: string, signal: AbortSignal, onStatus: (status: UsernameStatus) => void) {
  // Starts to load the client during the pause. A failure appears at its use.
  loadApi().catch(() => {});
  await sleep(debounceMs);
  for (let tries = 1; !signal.aborted; tries++) {
    const status = await checkOnce(username, signal);
    if (signal.aborted) return;
    onStatus(status);
    if (status.kind !== "unknown" || tries === maxTries) return;
    await sleep(Math.min(Math.max(status.retryAfterMs ?? 1_000 * 2 ** tries, minRetryMs), maxRetryMs));
  }
}

/**
 * The server's check of a username, after a short pause in typing. Each keystroke aborts the earlier
 * check, and a result counts only for its own name.
 */
export function useUsernameStatus(username: string): UsernameStatus {
  const [settled, setSettled] = useState<{ username: string; status: UsernameStatus }>();
  const isBlank = username.trim() === "";

  useEffect(() => {
    if (isBlank) return;
    const run = new AbortController();
    void watch(username, run.signal, status => setSettled({ username, status }));
    return () => run.abort();
  }, [username, isBlank]);

  if (isBlank) return { kind: "idle" };
  return settled?.username === username ? settled.status : { kind: "checking" };
}
