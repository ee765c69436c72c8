/**
 * Who sends an event of the side stream again: "<state> <name>" in a hash. `sending` that stays is of a
 * process that died, or of an answer that was lost: then nobody knows, and nobody may try again.
 */
export type Claim = { by: string; said: string };

export const claimOf = (state: "sending" | "sent", by: string) => `${state} ${by}`;

export function readClaim(value: string | null | undefined): Claim | null {
  if (!value) return null;
  const by = value.slice(value.indexOf(" ") + 1);
  const isSent = value.startsWith("sent ");
  return {
    by,
    said: isSent
      ? `${by} has sent it again.`
      : `${by} has begun to send it again; the audit log and the engine tell what became of it.`,
  };
}
