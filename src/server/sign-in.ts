import type { ServerEnv } from "../process/server-env";
import type { Logger } from "../runtime/logger";
import { createAuth } from "../services/access/auth";
import type { RefusalLog } from "../services/audit/record-refusal";
import type { PrismaClient } from "../store/postgres";
import type { RedisClient } from "../store/redis";
import { followOidc } from "./oidc";
import { createSignInLimit } from "./rate-limits";

type Deps = {
  prisma: PrismaClient;
  redis: RedisClient;
  refusals: RefusalLog;
  log: Logger;
  publicUrl: string;
};

/** Sign-in of a server process: better-auth with our quotas and our audit log. */
export function createSignIn(env: ServerEnv, { prisma, redis, refusals, log, publicUrl }: Deps) {
  const watch = {
    charge: createSignInLimit(redis, {
      perAddress: env.SIGNINS_PER_TEN_MINUTES,
      perAccount: env.SIGNINS_PER_ACCOUNT,
    }),
    recordRefusal: refusals.record.bind(refusals),
    onError: (err: unknown) => log.error({ err }, "sign-in failed"),
  };
  return followOidc(
    env,
    oidc => createAuth(prisma, { publicUrl, secret: env.AUTH_SECRET, watch, oidc }),
    log,
  );
}
