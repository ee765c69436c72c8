import type { Alert } from "../../domain/alert";
import { OUTBOX_BEHIND_SECONDS, pendingText } from "../../domain/filter/outbox-limit";
import type { OutboxStatus } from "../../outbox/dead-letters";

/** Alerts about the outbox, for the console's banner. */
export function outboxAlerts(outbox: OutboxStatus | null): Alert[] {
  if (!outbox) return [];
  const alerts: Alert[] = [];
  if (outbox.oldestSeconds > OUTBOX_BEHIND_SECONDS) {
    const age = Math.round(outbox.oldestSeconds);
    const text = `The relay is ${age} s behind. ${pendingText(outbox.pending)} events are pending.`;
    alerts.push({ code: "relay_behind", text, href: "/console/outbox" });
  }
  if (outbox.dead > 0) {
    const count = outbox.dead === 1 ? "is 1 dead letter" : `are ${outbox.dead} dead letters`;
    alerts.push({
      code: "dead_letters",
      text: `There ${count} in the outbox. Fix the cause, then replay.`,
      href: "/console/outbox",
    });
  }
  return alerts;
}
