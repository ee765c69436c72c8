import { bind } from "./ports";
import { SetupError } from "./setup-error";

const OTHER_HOST =
  "Set METRICS_HOST to an address of this machine, such as 127.0.0.1 or ::1, or to 0.0.0.0 for all";

const ADVICE: Record<string, string> = {
  EADDRINUSE:
    "METRICS_PORT is in use. Stop the process that uses it, or set METRICS_PORT to a port of this process alone.",
  EACCES: "This user may not listen on METRICS_PORT. Set it to a port from 1024 on.",
  EADDRNOTAVAIL: `METRICS_HOST is not an address of this machine. ${OTHER_HOST}.`,
  EAFNOSUPPORT: `This machine has no addresses of METRICS_HOST's kind (IPv4 or IPv6). ${OTHER_HOST}.`,
  EINVAL: `METRICS_HOST can't be listened on. ${OTHER_HOST}.`,
  ENOTFOUND: `METRICS_HOST can't be resolved. ${OTHER_HOST}.`,
  EAI_AGAIN: `METRICS_HOST can't be resolved. ${OTHER_HOST}.`,
};

/** What to change, in words, when METRICS_HOST:METRICS_PORT can't be listened on. */
export function metricsSetupError(error: Error): SetupError {
  const { code = "" } = error as NodeJS.ErrnoException;
  const advice =
    ADVICE[code] ?? `METRICS_HOST and METRICS_PORT can't be listened on (${code}). ${OTHER_HOST}.`;
  return new SetupError(advice, { cause: error });
}

/**
 * @param address of the process with this name
 * @throws SetupError when no server could listen there
 */
export async function requireMetricsAddress(address: {
  name: string;
  port: number;
  host: string;
}): Promise<void> {
  const { name, port, host } = address;
  try {
    await bind(port, host);
  } catch (error) {
    const { message } = metricsSetupError(error as Error);
    throw new SetupError(`The metrics of ${name} need ${host}, port ${port}. ${message}`, { cause: error });
  }
}
