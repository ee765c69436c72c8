import { setTimeout as sleep } from "node:timers/promises";
import { isDeepStrictEqual } from "node:util";
import { tracked } from "@trpc/server";
import { z } from "zod";
import { AppError } from "../domain/app-error";
import type { Context } from "./context";
import { maySee, readTopic, topicInput } from "./live-topics";
import { actionProcedure, router } from "./trpc";

const INTERVAL_MS = 1_000;
const TOO_MANY = "Too many console pages are open. Close some of them.";
const cursor = z
  .string()
  .regex(/^\d{1,18}$/)
  .optional();

/** The health of the server with the alerts of the outbox and of the rollout. */
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

type LiveStream = {
  lastEventId?: string;
  watch?: Parameters<typeof readTopic>[1];
  /** Of the client. */
  signal: AbortSignal | undefined;
  release: () => void;
};

/** Whether the caller is still who began the stream, with the same permissions. An outage of the database ends nothing. */
async function isUnchanged(ctx: Context): Promise<boolean> {
  const [begun, now] = [await ctx.actor(), await ctx.actorNow().catch(() => undefined)];
  return now === undefined || isDeepStrictEqual(begun, now);
}

async function* follow(ctx: Context, { lastEventId, watch, signal, release }: LiveStream) {
  let since = lastEventId;
  try {
    const [seesOutbox, seesAudit] = [await maySee(ctx, "outbox.view"), await maySee(ctx, "audit.view")];
    const { streamsSignal } = ctx.services;
    const either = AbortSignal.any([streamsSignal].concat(signal ?? []));
    while (!signal?.aborted) {
      // An abort ends the stream without the event that tells the client not to reconnect: the new request is judged.
      streamsSignal.throwIfAborted();
      if (!(await isUnchanged(ctx)))
        throw new DOMException("the caller's permissions have changed", "AbortError");
      const [health, outbox, changes, answer] = await Promise.all([
        readHealth(ctx),
        seesOutbox ? ctx.services.gate.outboxStatus().catch(() => null) : null,
        seesAudit ? ctx.services.gate.auditChanges(since).catch(() => null) : null,
        watch ? readTopic(ctx, watch) : null,
      ]);
      since = changes?.cursor ?? since;
      const { events = [], resync = false } = changes ?? {};
      yield tracked(since ?? "0", { health, outbox, events, resync, answer });
      await sleep(INTERVAL_MS, undefined, { signal: either }).catch(() => {});
    }
  } finally {
    release();
  }
}

export const gateRouter = router({
  /** Status and alerts; each alert links to the page that shows its cause. */
  health: actionProcedure("gate.view").query(({ ctx }) => readHealth(ctx)),

  /**
   * Once a second: health, the outbox, the changes since the last message, and the answer to `watch`, the
   * query of the open page; null or empty where the caller lacks the permission. Message ids are audit
   * ids, so a client resumes without a gap; after too many changes `resync` tells it to read again. The
   * stream ends after a minute, and within two seconds when the session or token ends or its permissions change.
   */
  live: actionProcedure("gate.view")
    .input(z.object({ lastEventId: cursor, watch: topicInput.optional() }).optional())
    .subscription(({ ctx, input, signal }) => {
      const release = ctx.services.liveStreams.take(ctx.audit.actor.id ?? ctx.audit.actor.name);
      if (!release) throw new AppError("RATE_LIMITED", TOO_MANY, { retryAfterMs: 15_000 });
      signal?.addEventListener("abort", release);
      return follow(ctx, { ...input, signal, release });
    }),
});
