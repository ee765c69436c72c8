import { AppError } from "../../domain/app-error";
import type { Engines } from "../../filter/detect-engine";
import type { AuditContext } from "../audit/write-audit";
import { type ReadOnce, readOnce } from "../read-once";
import { armPromotion } from "./arm-promotion";
import { cancelRebuild } from "./cancel-rebuild";
import { filterAlerts } from "./filter-alerts";
import { planRebuild, type RebuildRequest } from "./plan-rebuild";
import { type PromoteDeps, type Promotion, promoteVersion } from "./promote-version";
import { type MapCell, readFilterMap } from "./read-filter-map";
import { type FilterStatus, readFilterStatus } from "./read-filter-status";
import { requestRebuild } from "./request-rebuild";
import { requestVerification } from "./request-verification";
import { retireVersion } from "./retire-version";
import { rollbackVersion } from "./rollback-version";
import { setRebuildSchedule } from "./set-rebuild-schedule";
import { setTraffic } from "./set-traffic";

type ConfirmedRebuild = RebuildRequest & { reason: string; confirmUnknownRoom?: boolean };

const UNKNOWN_ROOM =
  "It is unknown whether Redis has room: it has no memory limit of its own. Set maxmemory, or confirm that the build may start without it.";

export type FilterServicesDeps = PromoteDeps & { engines: Engines };

/** All open consoles together read the rollout once in this interval. */
const STATUS_MS = 800;
/** The same for the shards of a version. */
const MAP_MS = 2_000;
const MAX_MAPS = 20;

/** Queries and decisions of operators about the filter's versions; the filter worker carries them out. */
export function createFilterServices(deps: FilterServicesDeps) {
  const { prisma } = deps;
  const status = readOnce(STATUS_MS, () => readFilterStatus(deps));
  const maps = new Map<number, ReadOnce<MapCell[]>>();
  /** The operator's next query after a decision returns its result. */
  const decide =
    <Input, Result>(service: (audit: AuditContext, input: Input) => Promise<Result>) =>
    async (audit: AuditContext, input: Input): Promise<Result> => {
      try {
        return await service(audit, input);
      } finally {
        status.forget();
      }
    };
  return {
    status: (): Promise<FilterStatus> => status.read(),
    async alerts() {
      return filterAlerts(await status.read().catch(() => null));
    },
    map(version: number): Promise<MapCell[]> {
      const map = maps.get(version) ?? readOnce(MAP_MS, () => readFilterMap(deps, version));
      // The cache keeps the maps of a few versions: a console shows at most these.
      if (maps.size >= MAX_MAPS) maps.clear();
      maps.set(version, map);
      return map.read();
    },
    plan: (request: RebuildRequest) => planRebuild(deps, request),
    rebuild: decide(
      async (audit: AuditContext, { reason, confirmUnknownRoom, ...request }: ConfirmedRebuild) => {
        const plan = await planRebuild(deps, request);
        if (plan.problem) throw new AppError("BAD_REQUEST", plan.problem);
        if (plan.room === "unknown" && confirmUnknownRoom !== true)
          throw new AppError("BAD_REQUEST", UNKNOWN_ROOM);
        const { capacity, errorRate, engine } = plan;
        return requestRebuild(prisma, audit, { capacity, errorRate, engine, reason });
      },
    ),
    cancel: decide((audit: AuditContext, input: Parameters<typeof cancelRebuild>[2]) =>
      cancelRebuild(prisma, audit, input),
    ),
    verify: decide((audit: AuditContext, input: Parameters<typeof requestVerification>[2]) =>
      requestVerification(prisma, audit, input),
    ),
    setTraffic: decide((audit: AuditContext, input: Parameters<typeof setTraffic>[2]) =>
      setTraffic(prisma, audit, input),
    ),
    promote: decide((audit: AuditContext, input: Omit<Promotion, "only">) =>
      promoteVersion(deps, audit, input),
    ),
    arm: decide((audit: AuditContext, input: Parameters<typeof armPromotion>[2]) =>
      armPromotion(prisma, audit, input, deps.approvals),
    ),
    rollback: decide((audit: AuditContext, { revision, reason }: { revision: number; reason: string }) =>
      rollbackVersion(prisma, audit, { revision, reason }),
    ),
    retire: decide((audit: AuditContext, input: Parameters<typeof retireVersion>[2]) =>
      retireVersion(prisma, audit, input),
    ),
    schedule: decide((audit: AuditContext, input: Parameters<typeof setRebuildSchedule>[2]) =>
      setRebuildSchedule(prisma, audit, input),
    ),
  };
}

export type FilterServices = ReturnType<typeof createFilterServices>;
