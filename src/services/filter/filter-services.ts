import { AppError } from "../../domain/app-error";
import type { Engines } from "../../filter/detect-engine";
import type { By } from "../audit/write-audit";
import { armPromotion } from "./arm-promotion";
import { cancelRebuild } from "./cancel-rebuild";
import { filterAlerts } from "./filter-alerts";
import { planRebuild, type RebuildWish } from "./plan-rebuild";
import { type PromoteDeps, type Promotion, promoteVersion } from "./promote-version";
import { readFilterMap } from "./read-filter-map";
import { type FilterStatus, readFilterStatus } from "./read-filter-status";
import { requestRebuild } from "./request-rebuild";
import { requestVerification } from "./request-verification";
import { retireVersion } from "./retire-version";
import { rollbackVersion } from "./rollback-version";
import { setRebuildSchedule } from "./set-rebuild-schedule";
import { setShares } from "./set-shares";

export type FilterServicesDeps = PromoteDeps & { engines: Engines };

/** However many consoles are open, the rollout is read once in so long. */
const STATUS_MS = 800;

/** What operators ask and decide about the filter's versions; the filter worker carries it out. */
export function createFilterServices(deps: FilterServicesDeps) {
  const { prisma } = deps;
  let status: { at: number; read: Promise<FilterStatus> } | undefined;
  /** Whoever decided sees what came of it, not what was read before. */
  const decide =
    <Input, Result>(service: (by: By, input: Input) => Promise<Result>) =>
    async (by: By, input: Input): Promise<Result> => {
      try {
        return await service(by, input);
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
    plan: (wish: RebuildWish) => planRebuild(deps, wish),
    rebuild: decide(async (by: By, { reason, ...wish }: RebuildWish & { reason: string }) => {
      const plan = await planRebuild(deps, wish);
      if (plan.problem) throw new AppError("BAD_REQUEST", plan.problem);
      const { capacity, errorRate, engine } = plan;
      return requestRebuild(prisma, by, { capacity, errorRate, engine, reason });
    }),
    cancel: decide((by: By, input: Parameters<typeof cancelRebuild>[2]) => cancelRebuild(prisma, by, input)),
    verify: decide((by: By, input: Parameters<typeof requestVerification>[2]) =>
      requestVerification(prisma, by, input),
    ),
    share: decide((by: By, input: Parameters<typeof setShares>[2]) => setShares(prisma, by, input)),
    promote: decide((by: By, input: Omit<Promotion, "only">) => promoteVersion(deps, by, input)),
    arm: decide((by: By, input: Parameters<typeof armPromotion>[2]) =>
      armPromotion(prisma, by, input, deps.approvals),
    ),
    rollback: decide((by: By, { revision, reason }: { revision: number; reason: string }) =>
      rollbackVersion(prisma, by, { revision, reason }),
    ),
    retire: decide((by: By, input: Parameters<typeof retireVersion>[2]) => retireVersion(prisma, by, input)),
    schedule: decide((by: By, input: Parameters<typeof setRebuildSchedule>[2]) =>
      setRebuildSchedule(prisma, by, input),
    ),
  };
}

export type FilterServices = ReturnType<typeof createFilterServices>;
