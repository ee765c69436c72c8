import { setTimeout as sleep } from "node:timers/promises";
import { tracked } from "@trpc/server";
import { z } from "zod";
import { AppError } from "../domain/app-error";
import type { Context } from "./context";
import { maySee, readTopic, topicInput } from "./live-topics";
import { actionProcedure, router } from "./trpc";

const EVERY_MS = 1_000;
const TOO_MANY = "Too many pages of the console are open at once. Close some of them.";
const cursor = z
  .string()
  .regex(/^\d{1,18}$/)
  .optional();

/** The gate's own alerts, the outbox's and the rollout's. */
async function readHealth({ services }: Context) {
  const [health, outbox, filter] = await Promise.all([
    services.health(),
    services.gate.outboxAlerts(),
    services.filter.alerts(),
  ]);
  const all = [...health.alerts, ...outbox, ...filter];
  const status = health.status === "ok" && all.length > 0 ? ("degraded" as const) : health.status;
  return { status, problems: all, filter: health.filter, environment: services.environment };
}

type Following = {
  lastEventId?: string;
  watch?: Parameters<typeof readTopic>[1];
  signal: AbortSignal | undefined;
  leave: () => void;
};

async function* follow(ctx: Context, { lastEventId, watch, signal, leave }: Following) {
  let since = lastEventId;
  try {
    const [seesOutbox, seesAudit] = [await maySee(ctx, "outbox.view"), await maySee(ctx, "audit.view")];
    while (!signal?.aborted) {
      const [health, outbox, news, answer] = await Promise.all([
        readHealth(ctx),
        seesOutbox ? ctx.services.gate.outboxStatus().catch(() => null) : null,
        seesAudit ? ctx.services.gate.auditNews(since).catch(() => null) : null,
        watch ? readTopic(ctx, watch) : null,
      ]);
      since = news?.cursor ?? since;
      const { events = [], resync = false } = news ?? {};
      yield tracked(since ?? "0", { health, outbox, events, resync, answer });
      await sleep(EVERY_MS, undefined, { signal }).catch(() => {});
    }
  } finally {
    leave();
  }
}

export const gateRouter = router({
  /** Is it all right, and if not, what is wrong and where to look. */
  health: actionProcedure("gate.view").query(({ ctx }) => readHealth(ctx)),

  /**
   * Once a second: health, the outbox, and what was changed by anyone since. Each message carries the
   * newest audit row's id, so that a cut connection goes on from there: each change comes once, or, when
   * too many were missed, `resync` says to read anew. The stream ends by itself after a minute, and the
   * client's return is where its role is checked again. `watch` is what the page below shows: its answer
   * comes along, so that a page has one subscription. What the caller may not see is null, or empty.
   */
  live: actionProcedure("gate.view")
    .input(z.object({ lastEventId: cursor, watch: topicInput.optional() }).optional())
    .subscription(({ ctx, input, signal }) => {
      const leave = ctx.services.liveStreams.take(ctx.audit.actor.id ?? ctx.audit.actor.name);
      if (!leave) throw new AppError("RATE_LIMITED", TOO_MANY, { retryAfterMs: 15_000 });
      signal?.addEventListener("abort", leave);
      return follow(ctx, { ...input, signal, leave });
    }),
});
