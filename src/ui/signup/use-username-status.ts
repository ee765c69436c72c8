import { useEffect, useState } from "react";
import { loadApi } from "../load-api";
import { statusFromAnswer, statusFromError, type UsernameStatus } from "./username-status";

const debounceMs = 250;
const answerTimeoutMs = 5_000;
/** After these many unknown answers the form stops asking: signup decides anyway. */
const maxTries = 5;
const minRetryMs = 500;
const maxRetryMs = 30_000;

const sleep = (ms: number) => new Promise<void>(wake => setTimeout(wake, ms));

async function askOnce(username: string, signal: AbortSignal): Promise<UsernameStatus> {
  const silence = sleep(answerTimeoutMs).then(
    (): UsernameStatus => ({ kind: "unknown", why: "unreachable" }),
  );
  const answer = loadApi()
    .then(api => api.username.check.query({ username }, { signal }))
    .then(statusFromAnswer, statusFromError);
  return Promise.race([answer, silence]);
}

async function watch(username: string, signal: AbortSignal, tell: (status: UsernameStatus) => void) {
  // Starts the download of the client during the pause; a failure shows when it is used.
  loadApi().catch(() => {});
  await sleep(debounceMs);
  for (let tries = 1; !signal.aborted; tries++) {
    const status = await askOnce(username, signal);
    if (signal.aborted) return;
    tell(status);
    if (status.kind !== "unknown" || tries === maxTries) return;
    await sleep(Math.min(Math.max(status.retryAfterMs ?? 1_000 * 2 ** tries, minRetryMs), maxRetryMs));
  }
}

/**
 * The server's opinion of a username, asked for after a short pause in typing.
 * Every keystroke aborts the run before it, and an answer counts only for the name it was asked about.
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
