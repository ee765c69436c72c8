import { pendingText } from "../../../domain/filter/outbox-limit";
import type { ConsoleClient, FilterStatus, VersionStatus } from "../contract";
import type { Confirmation } from "../parts/confirm-dialog";
import { formatCount } from "../parts/format";
import { formatBytes } from "../parts/format-bytes";
import type { Draft } from "./draft";
import { slotsOf } from "./slots";

type Api = Pick<ConsoleClient, "filter">;
export type About = { status: FilterStatus; of: VersionStatus; draft: Draft };

export const REFRESH = ["filter.status", "filter.map"];
const refresh = REFRESH;

/** The confirmations of the changes of one version. Promotion and schedule have other inputs. */
export const VERSION_CONFIRMATIONS = { cancel, verify, setTraffic, arm, disarm, rollback, retire };
/** Percent. A larger canary affects many users within seconds. */
const SMALL_CANARY = 5;

function contents({ version, forecast, capacity }: VersionStatus): string {
  return forecast
    ? `v${version} contains ${formatCount(forecast.items)} names`
    : `v${version} has a capacity of ${formatCount(capacity)} names`;
}

function cancel(api: Api, { of: { version, state } }: About): Confirmation {
  const lost =
    state === "ready"
      ? "This version is verified and ready; that work is lost."
      : "A new rebuild starts from the beginning.";
  return {
    title: `Cancel v${version}`,
    consequence: `The worker stops within about a second and removes the keys of v${version}. Readers are not affected. ${lost}`,
    reach: state === "ready" ? "large" : "small",
    verb: `Cancel v${version}`,
    run: reason => api.filter.cancel.mutate({ version, reason }),
    done: `v${version} is cancelled`,
    refresh,
  };
}

function verify(api: Api, { of, draft: { scope } }: About): Confirmation {
  const { version } = of;
  const rows = scope === "every-row" ? "Every row" : "Up to 300,000 rows";
  return {
    title: `Verify v${version} again`,
    consequence: `${rows} of the database ${scope === "every-row" ? "is" : "are"} looked up in v${version}. Readers are not affected. The report replaces the last one.`,
    reach: "small",
    verb: `Verify v${version}`,
    run: reason => api.filter.verify.mutate({ version, scope, reason }),
    done: `v${version} is being verified`,
    refresh,
  };
}

function setTraffic(api: Api, { status, of, draft }: About): Confirmation {
  const { version } = of;
  const { shadowPercent, canaryPercent } = draft;
  const active = slotsOf(status).active;
  const others = active ? `v${active.version} answers the rest. ` : "";
  return {
    title: `Set traffic of v${version}`,
    consequence: `v${version} answers ${canaryPercent} % of the reads within a second. ${others}${shadowPercent} % of the reads are compared in both versions.`,
    reach: canaryPercent > SMALL_CANARY && canaryPercent > of.canaryPercent ? "large" : "small",
    verb: `Set traffic of v${version}`,
    run: reason =>
      api.filter.setTraffic.mutate({
        version,
        shadowPercent,
        canaryPercent,
        revision: status.revision,
        reason,
      }),
    done: `v${version} answers ${canaryPercent} % of the reads`,
    refresh,
  };
}

function arm(api: Api, { status, of: { version }, draft: { minutes } }: About): Confirmation {
  return {
    title: `Arm v${version}`,
    consequence: `v${version} is promoted automatically as soon as every gate passes, within the next ${minutes} min. You can disarm it at any time.`,
    reach: "large",
    verb: `Arm v${version}`,
    run: reason => api.filter.arm.mutate({ version, minutes, revision: status.revision, reason }),
    done: `v${version} is armed for ${minutes} min`,
    refresh,
  };
}

function disarm(api: Api, { status, of: { version } }: About): Confirmation {
  return {
    title: `Disarm v${version}`,
    consequence: `v${version} is not promoted automatically any more. Its traffic stays as it is.`,
    reach: "small",
    verb: `Disarm v${version}`,
    run: reason => api.filter.arm.mutate({ version, minutes: null, revision: status.revision, reason }),
    done: `v${version} is disarmed`,
    refresh,
  };
}

function rollback(api: Api, { status, of: previous }: About): Confirmation {
  const active = slotsOf(status).active;
  const behind = pendingText(status.pendingEvents);
  return {
    title: `Roll back to v${previous.version}`,
    consequence: `Every server follows v${previous.version} within a second, and v${active?.version} is kept up to date. ${contents(previous)} and is ${behind} ${status.pendingEvents === 1 ? "event" : "events"} behind; the database decides about those names.`,
    reach: "large",
    verb: `Roll back to v${previous.version}`,
    run: reason => api.filter.rollback.mutate({ revision: status.revision, reason }),
    done: `v${previous.version} is active again`,
    refresh,
  };
}

function retire(api: Api, { status, of }: About): Confirmation {
  const { version, sizeBytes } = of;
  return {
    title: `Retire v${version}`,
    consequence: `${contents(of)}; retiring it ends rollback until the next promotion. Removing its keys frees ${formatBytes(sizeBytes)} of Redis.`,
    reach: "irreversible",
    typedName: `v${version}`,
    verb: `Retire v${version}`,
    run: reason => api.filter.retire.mutate({ version, revision: status.revision, reason }),
    done: `v${version} is being retired`,
    refresh,
  };
}

export function schedule(api: Api, { status, draft: { everyHours } }: Omit<About, "of">): Confirmation {
  const was = status.schedule.everyHours;
  return {
    title: "Schedule rebuilds",
    consequence:
      everyHours === null
        ? "No rebuild starts automatically. Alarms and suggestions stay."
        : `A rebuild of the same size starts ${everyHours} h after the last request. A user still has to promote it. It starts without asking where the memory of Redis is unknown, and not where it is too little.`,
    reach: "small",
    verb: everyHours === null ? "End the schedule" : `Rebuild every ${everyHours} h`,
    disabledReason: everyHours === was ? "This is the current schedule." : undefined,
    run: reason => api.filter.schedule.mutate({ everyHours, reason }),
    done: everyHours === null ? "No rebuild is scheduled" : `A rebuild is scheduled every ${everyHours} h`,
    refresh,
  };
}
