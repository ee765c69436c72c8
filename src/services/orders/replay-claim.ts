/**
 * Who replays a dead letter: "<state> <name>" in a hash. A `sending` that stays belongs to a process that
 * died or lost its answer: the outcome is unknown, and the event must not be replayed again.
 */
export type Claim = { by: string; outcome: string };

export const claimOf = (state: "sending" | "sent", name: string) => `${state} ${name}`;

export function readClaim(value: string | null | undefined): Claim | null {
  if (!value) return null;
  const by = value.slice(value.indexOf(" ") + 1);
  const isSent = value.startsWith("sent ");
  return {
    by,
    outcome: isSent
      ? `Replayed by ${by}.`
      : `${by} began to replay it and the outcome is unknown. Look in the audit log and on the page Engine.`,
  };
}
