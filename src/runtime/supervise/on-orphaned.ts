const CHECK_EVERY_MS = 500;

/**
 * Calls back once when the process that started us has ended. A signal sent to npm alone ends the
 * shell between npm and us, which passes nothing on: the new parent is the only trace of it.
 */
export function onOrphaned(call: () => void): void {
  const parent = process.ppid;
  const timer = setInterval(() => {
    if (process.ppid === parent) return;
    clearInterval(timer);
    call();
  }, CHECK_EVERY_MS);
  timer.unref();
}
