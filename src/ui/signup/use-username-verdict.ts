import { useEffect, useState } from "react";
import { loadApi } from "../load-api";
import { type UsernameVerdict, verdictFromAnswer, verdictFromError } from "./username-verdict";

const debounceMs = 250;
const answerTimeoutMs = 5_000;
/** After these many unknown answers the form stops asking: signup decides anyway. */
const maxTries = 5;
const minRetryMs = 500;
const maxRetryMs = 30_000;

const sleep = (ms: number) => new Promise<void>(wake => setTimeout(wake, ms));

async function askOnce(username: string, signal: AbortSignal): Promise<UsernameVerdict> {
  const silence = sleep(answerTimeoutMs).then(
    (): UsernameVerdict => ({ kind: "unknown", why: "unreachable" }),
  );
  const answer = loadApi()
    .then(api => api.username.check.query({ username }, { signal }))
    .then(verdictFromAnswer, verdictFromError);
  return Promise.race([answer, silence]);
}

async function watch(username: string, signal: AbortSignal, tell: (verdict: UsernameVerdict) => void) {
  // Starts the download of the client during the pause; a failure shows when it is used.
  loadApi().catch(() => {});
  await sleep(debounceMs);
  for (let tries = 1; !signal.aborted; tries++) {
    const verdict = await askOnce(username, signal);
    if (signal.aborted) return;
    tell(verdict);
    if (verdict.kind !== "unknown" || tries === maxTries) return;
    await sleep(Math.min(Math.max(verdict.retryAfterMs ?? 1_000 * 2 ** tries, minRetryMs), maxRetryMs));
  }
}

/**
 * The server's opinion of a username, asked for after a short pause in typing.
 * Every keystroke aborts the run before it, and an answer counts only for the name it was asked about.
 */
export function useUsernameVerdict(username: string): UsernameVerdict {
  const [settled, setSettled] = useState<{ username: string; verdict: UsernameVerdict }>();
  const isBlank = username.trim() === "";

  useEffect(() => {
    if (isBlank) return;
    const run = new AbortController();
    void watch(username, run.signal, verdict => setSettled({ username, verdict }));
    return () => run.abort();
  }, [username, isBlank]);

  if (isBlank) return { kind: "idle" };
  return settled?.username === username ? settled.verdict : { kind: "checking" };
}
