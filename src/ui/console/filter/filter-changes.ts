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

/** How each decision about one version is asked for; promoting and scheduling need more than these know. */
export const VERSION_CHANGES = { cancel, verify, setTraffic, arm, disarm, rollback, retire };
/** A canary above this share is felt by everybody soon. */
const SMALL_CANARY = 5;

export function holds({ version, forecast, capacity }: VersionStatus): string {
  return forecast
    ? `v${version} holds ${formatCount(forecast.items)} names`
    : `v${version} is made for ${formatCount(capacity)} names`;
}

function cancel(api: Api, { of: { version, state } }: About): Confirmation {
  const lost = state === "ready" ? "It is verified and ready; all of that work is lost." : "It starts over.";
  return {
    title: `Cancel v${version}`,
    consequence: `The worker stops within about a second and removes v${version}'s keys. Readers notice nothing. ${lost}`,
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
    consequence: `${rows} of the database ${scope === "every-row" ? "is" : "are"} looked up in v${version}. Readers follow what they follow now; the report replaces the last one.`,
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
  const others = active ? `v${active.version} answers the rest.` : "";
  return {
    title: `Compare and canary v${version}`,
    consequence: `v${version} answers ${canaryPercent} % of the reads within a second; ${others} ${shadowPercent} % of the reads ask both and compare.`,
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
    consequence: `v${version} is promoted by itself as soon as every gate passes, for ${minutes} min from now, also when nobody looks. It can be disarmed at any moment.`,
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
    consequence: `v${version} waits for a person again. Its traffic of the reads stay as they are.`,
    reach: "small",
    verb: `Disarm v${version}`,
    run: reason => api.filter.arm.mutate({ version, minutes: null, revision: status.revision, reason }),
    done: `v${version} is disarmed`,
    refresh,
  };
}

function rollback(api: Api, { status, of: previous }: About): Confirmation {
  const active = slotsOf(status).active;
  const behind = formatCount(status.pendingEvents);
  return {
    title: `Roll back to v${previous.version}`,
    consequence: `Every server follows v${previous.version} within a second; v${active?.version} is kept fresh. ${holds(previous)} and is ${behind} ${status.pendingEvents === 1 ? "event" : "events"} behind; the database decides about those names, as always.`,
    reach: "large",
    verb: `Roll back to v${previous.version}`,
    run: reason => api.filter.rollback.mutate({ revision: status.revision, reason }),
    done: `v${previous.version} answers again`,
    refresh,
  };
}

function retire(api: Api, { status, of }: About): Confirmation {
  const { version, sizeBytes } = of;
  return {
    title: `Retire v${version}`,
    consequence: `${holds(of)}; retiring it ends rollback until the next promotion. Its keys are removed one at a time and free ${formatBytes(sizeBytes)} of Redis.`,
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
        ? "No rebuild begins by itself. Alarms and suggestions stay."
        : `${everyHours} h after the last version was asked for, the next one is built in the same shape. It still waits for somebody to promote it.`,
    reach: "small",
    verb: everyHours === null ? "Schedule none" : `Rebuild every ${everyHours} h`,
    blocked: everyHours === was ? "This is the schedule already." : undefined,
    run: reason => api.filter.schedule.mutate({ everyHours, reason }),
    done: everyHours === null ? "No rebuild is scheduled" : `A rebuild is asked for every ${everyHours} h`,
    refresh,
  };
}
