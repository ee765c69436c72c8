import { OUTBOX_BEHIND_SECONDS } from "../../domain/filter/outbox-limit";
import type { OutboxStatus } from "../../outbox/dead-letters";

/** What is wrong with the outbox, in words, for the console's banner. */
export function outboxAlerts(outbox: OutboxStatus | null): { code: string; text: string; href: string }[] {
  if (!outbox) return [];
  const alerts = [];
  if (outbox.oldestSeconds > OUTBOX_BEHIND_SECONDS) {
    const age = Math.round(outbox.oldestSeconds);
    const text = `The relay is ${age} s behind: ${outbox.pending} names are not in the filter yet.`;
    alerts.push({ code: "relay_behind", text, href: "/console/outbox" });
  }
  if (outbox.dead > 0) {
    const what = outbox.dead === 1 ? "1 event was" : `${outbox.dead} events were`;
    alerts.push({ code: "dead_letters", text: `${what} set aside by the relay.`, href: "/console/outbox" });
  }
  return alerts;
}
