import type { Cluster, Redis } from "ioredis";

/** A node that could not be connected to is named so long after its last error. */
const NODE_MEMORY_MS = 10_000;

/** Why Redis can't be reached, as far as an operator has to correct something: certificates, names, users. */
export class ConnectionTrouble {
  private found: { text: string; untilMs: number } | null = null;

  constructor(client: Redis | Cluster) {
    // A client that is ready forgets it at once; one node of a cluster has no event for that.
    client.on("ready", () => this.forget());
    client.on("error", error => this.note(error, Number.POSITIVE_INFINITY));
    client.on("node error", error => this.note(error, performance.now() + NODE_MEMORY_MS));
  }

  /** In words, such as "its certificate is for a, and not for b"; null while there is none. */
  get problem(): string | null {
    return this.found !== null && this.found.untilMs > performance.now() ? this.found.text : null;
  }

  private note(error: unknown, untilMs: number): void {
    const text = explainConnectionError(error);
    if (text !== null) this.found = { text, untilMs };
  }

  private forget(): void {
    this.found = null;
  }
}

type NodeError = Error & {
  code?: string;
  host?: string;
  hostname?: string;
  cert?: { subjectaltname?: string; subject?: { CN?: string } };
  /** Of a cluster none of whose nodes could be asked. */
  lastNodeError?: unknown;
};

/** Null: an outage, which passes without a correction. */
export function explainConnectionError(thrown: unknown): string | null {
  if (!(thrown instanceof Error)) return null;
  const error = thrown as NodeError;
  if (error.lastNodeError !== undefined) return explainConnectionError(error.lastNodeError);
  const { code = "", message } = error;
  if (code === "ERR_TLS_CERT_ALTNAME_INVALID") {
    const names = (error.cert?.subjectaltname ?? error.cert?.subject?.CN ?? "nothing").replaceAll(
      /DNS:|Address:/g,
      "",
    );
    return `its certificate is for ${names}, and not for ${error.host ?? "this address"}`;
  }
  if (code === "CERT_HAS_EXPIRED") return "its certificate has expired";
  if (UNTRUSTED.has(code))
    return "its certificate is not from a known authority: name a private one with ?ca= in REDIS_URL";
  if (code === "ENOTFOUND") return `there is no host ${error.hostname ?? "of this name"}`;
  if (/^(WRONGPASS|NOAUTH)|invalid username-password/.test(message))
    return "it refuses the user or the password";
  return null;
}

const UNTRUSTED = new Set([
  "DEPTH_ZERO_SELF_SIGNED_CERT",
  "SELF_SIGNED_CERT_IN_CHAIN",
  "UNABLE_TO_GET_ISSUER_CERT",
  "UNABLE_TO_GET_ISSUER_CERT_LOCALLY",
  "UNABLE_TO_VERIFY_LEAF_SIGNATURE",
]);
