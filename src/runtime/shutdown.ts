export type ShutdownLog = {
  info(message: string): void;
  error(details: object, message: string): void;
};

export type ShutdownOptions = {
  timeoutMs: number;
  logger: ShutdownLog;
  /** Replaces `process` in tests. */
  host?: Pick<NodeJS.Process, "on" | "exit" | "connected" | "channel" | "stdout">;
};

/** One Ctrl-C can arrive twice: from the terminal and again from npm, which forwards it. */
const SAME_PRESS_MS = 500;

/**
 * Runs `stop` once on SIGINT, SIGTERM, a hang-up of the terminal or the end of the parent, then exits:
 * 0 when it resolved, 1 when it rejected, took longer than `timeoutMs`, or a second signal came.
 * Returns a function that starts the same shutdown with another exit code.
 */
export function onShutdown(
  stop: (reason: string) => Promise<void>,
  { timeoutMs, logger, host = process }: ShutdownOptions,
): (reason: string, exitCode?: number) => void {
  let startedAt: number | undefined;

  const begin = (reason: string, exitCode = 0) => {
    if (startedAt !== undefined) return;
    startedAt = Date.now();
    logger.info(`stopping: ${reason}`);
    const timer = setTimeout(() => {
      logger.error({ timeoutMs }, "stopping took too long: forced to exit");
      host.exit(1);
    }, timeoutMs);
    Promise.resolve(reason)
      .then(stop)
      .then(
        () => host.exit(exitCode),
        error => {
          logger.error({ err: error }, "stopping failed");
          host.exit(1);
        },
      )
      .finally(() => clearTimeout(timer));
  };

  const onSignal = (signal: NodeJS.Signals) => {
    if (startedAt === undefined) return begin(signal);
    if (Date.now() - startedAt < SAME_PRESS_MS) return;
    logger.error({ signal }, "second signal: forced to exit");
    host.exit(1);
  };

  host.on("SIGINT", onSignal);
  host.on("SIGTERM", onSignal);
  // Under nohup stdout is not a terminal and a hang-up has no effect. It comes twice when the session
  // leader ends too, so it never counts as a second signal.
  if (host.stdout.isTTY) host.on("SIGHUP", signal => begin(signal));
  if (host.connected) {
    host.on("disconnect", () => begin("the parent process has ended"));
    // The listener alone would keep the process running.
    host.channel?.unref();
  }
  return begin;
}
