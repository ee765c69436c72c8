import type { Alert } from "../domain/alert";
import { type ProcessState, processReport } from "../runtime/supervise/process-states";

/** The console's page that shows what a process does. */
const PAGES: Record<string, string> = {
  relay: "/console/outbox",
  filter: "/console/filter",
  aggregator: "/console/stream",
  engine: "/console/engine",
  lab: "/console/lab",
};

/** What stands still without it. */
const EFFECTS: Record<string, string> = {
  Redis: "The database answers checks, and orders wait",
  relay: "New names wait in the outbox, and the database confirms absences",
  filter: "No version is built, repaired or rolled back",
  aggregator: "Orders wait in the log",
  engine: "Ordered orders are not matched",
  lab: "No scenario runs",
};

/** As `GET /healthz` shows it. `unknown`: no supervisor tells this server. */
export type ProcessesHealth =
  | { status: "unknown" }
  | { status: "ok" | "degraded"; running: string[]; down: { name: string; reason: string; since: string }[] };

/** The other processes of `npm start`, as the supervisor tells them over the IPC channel. */
export class SupervisedProcesses {
  private states: ProcessState[] | null = null;

  /** @param host the process whose parent may be a supervisor; null: nothing is ever known */
  constructor(host: Pick<NodeJS.Process, "on" | "channel" | "connected"> | null) {
    if (!host?.connected) return;
    host.on("message", message => {
      const report = processReport.safeParse(message);
      if (report.success) this.states = report.data.processes;
    });
    // The listener alone would keep the process running.
    host.channel?.unref();
  }

  get health(): ProcessesHealth {
    if (!this.states) return { status: "unknown" };
    const down = this.down.map(({ name, downReason, sinceMs }) => ({
      name,
      reason: downReason ?? "",
      since: new Date(sinceMs).toISOString(),
    }));
    const running = this.states.filter(({ downReason }) => downReason === null).map(({ name }) => name);
    return { status: down.length > 0 ? "degraded" : "ok", running, down };
  }

  get alerts(): Alert[] {
    return this.down.map(({ name, downReason }) => ({
      code: `process_down_${name.toLowerCase()}`,
      text: [`${name} is down: ${downReason}.`, EFFECTS[name] && `${EFFECTS[name]}.`]
        .filter(Boolean)
        .join(" "),
      href: PAGES[name] ?? "/console/gate",
    }));
  }

  private get down(): ProcessState[] {
    return this.states?.filter(({ downReason }) => downReason !== null) ?? [];
  }
}
