import { AppError } from "../../domain/app-error";
import type { Engines } from "../../filter/detect-engine";
import type { AuditContext } from "../audit/write-audit";
import { armPromotion } from "./arm-promotion";
import { cancelRebuild } from "./cancel-rebuild";
import { filterAlerts } from "./filter-alerts";
import { planRebuild, type RebuildRequest } from "./plan-rebuild";
import { type PromoteDeps, type Promotion, promoteVersion } from "./promote-version";
import { readFilterMap } from "./read-filter-map";
import { type FilterStatus, readFilterStatus } from "./read-filter-status";
import { requestRebuild } from "./request-rebuild";
import { requestVerification } from "./request-verification";
import { retireVersion } from "./retire-version";
import { rollbackVersion } from "./rollback-version";
import { setRebuildSchedule } from "./set-rebuild-schedule";
import { setTraffic } from "./set-traffic";

export type FilterServicesDeps = PromoteDeps & { engines: Engines };

/** However many consoles are open, the rollout is read once in so long. */
const STATUS_MS = 800;

/** What operators ask and decide about the filter's versions; the filter worker carries it out. */
export function createFilterServices(deps: FilterServicesDeps) {
  const { prisma } = deps;
  let status: { at: number; read: Promise<FilterStatus> } | undefined;
  /** Whoever decided sees what came of it, not what was read before. */
  const decide =
    <Input, Result>(service: (audit: AuditContext, input: Input) => Promise<Result>) =>
    async (audit: AuditContext, input: Input): Promise<Result> => {
      try {
        return await service(audit, input);
      } finally {
        status = undefined;
      }
    };
  return {
    status(): Promise<FilterStatus> {
      if (!status || Date.now() - status.at > STATUS_MS) {
        const read = readFilterStatus(deps);
        status = { at: Date.now(), read };
        // Forgotten when it failed, so that the next one asks again.
        read.catch(() => {
          status = undefined;
        });
      }
      return status.read;
    },
    async alerts() {
      return filterAlerts(await this.status().catch(() => null));
    },
    map: (version: number) => readFilterMap(deps, version),
    plan: (request: RebuildRequest) => planRebuild(deps, request),
    rebuild: decide(
      async (audit: AuditContext, { reason, ...request }: RebuildRequest & { reason: string }) => {
        const plan = await planRebuild(deps, request);
        if (plan.problem) throw new AppError("BAD_REQUEST", plan.problem);
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
