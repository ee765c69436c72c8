import { setTimeout as sleep } from "node:timers/promises";
import { AppError } from "../../domain/app-error";
import type { ReshardableLog } from "../../domain/orders/order-log";
import { applyShardChange, mergeRefusal, type ShardChange } from "../../domain/orders/shard-change";
import { OrderLogSetupError } from "../../orders/order-log-setup-error";
import type { PlanBook } from "../../orders/plan-book";
import type { PrismaClient, Tx } from "../../store/postgres";
import { type AuditContext, type AuditNote, writeAudit } from "../audit/write-audit";
import { orderLogUnreadable } from "../orders/order-log-unreadable";

/** `expectedVersion`: of the shard map that the caller has seen. */
export type ChangeShards = { change: ShardChange; expectedVersion: number; reason: string };

export type ChangeShardsDeps = { prisma: PrismaClient; orderLog: ReshardableLog; plans: PlanBook };

/** `isComplete` false: the log has begun the change, and needs up to a minute for it. */
export type ShardsChanged = { closed: string[]; opened: string[]; version: number; isComplete: boolean };

/** A change takes a few calls of Kinesis, each with a timeout of 5 seconds. */
const CHANGE_MS = 20_000;
const WAIT_MS = 4_000;
const BETWEEN_READS_MS = 200;

/**
 * Splits a shard or merges two. Producers and readers follow within a second, as after a reshard by AWS.
 * The audit row is committed only with the change.
 * @throws AppError NOT_FOUND | CONFLICT (the shards have changed) | BAD_REQUEST (not possible now) | BUSY
 */
export async function changeShards(
  { prisma, orderLog, plans }: ChangeShardsDeps,
  audit: AuditContext,
  { change, expectedVersion, reason }: ChangeShards,
): Promise<ShardsChanged> {
  const map = await orderLog.readMap().catch((cause: unknown) => {
    throw orderLogUnreadable(cause);
  });
  if (map.version !== expectedVersion) throw conflict();
  const { closed, opened, after } = applyShardChange(map, change);
  const ids = { closed: closed.map(({ id }) => id), opened: opened.map(({ id }) => id) };
  const note: AuditNote = {
    target: `shards:${change.shardId}`,
    before: { version: map.version, shards: map.open.length, closed: ids.closed },
    after: { change: change.kind, shards: after.length, opened: ids.opened },
    reason,
    answer: { ...ids, version: expectedVersion, isComplete: false },
  };
  await prisma.$transaction(
    async tx => {
      // One change at a time, over all servers: a log in Kinesis has no compare-and-set of its own.
      await takeTurn(tx);
      if (change.kind === "merge") await requireRoom(plans, after.length);
      await writeAudit(tx, audit, note);
      await reshard({ prisma, orderLog, audit, note }, { change, expectedVersion });
    },
    { maxWait: 5_000, timeout: CHANGE_MS },
  );
  const version = await newVersion(orderLog, expectedVersion);
  return {
    closed: ids.closed,
    opened: ids.opened,
    version: version ?? expectedVersion,
    isComplete: version !== null,
  };
}

const conflict = () =>
  new AppError(
    "CONFLICT",
    "Another user changed the shards, or a change is still under way. List the shards again before you try again.",
  );

async function takeTurn(tx: Tx): Promise<void> {
  const [turn] = await tx.$queryRaw<{ taken: boolean }[]>`
    SELECT pg_try_advisory_xact_lock(hashtextextended('change of shards', 0)) AS taken`;
  if (!turn?.taken) throw conflict();
}

/** By the plans of now, not by those of the preview. */
async function requireRoom(plans: PlanBook, count: number): Promise<void> {
  await plans.refresh();
  const refusal = mergeRefusal(count, plans.factorsInForce());
  if (refusal !== null) throw new AppError("BAD_REQUEST", refusal, { rule: "factor" });
}

type Resharding = { prisma: PrismaClient; orderLog: ReshardableLog; audit: AuditContext; note: AuditNote };

async function reshard(
  { prisma, orderLog, audit, note }: Resharding,
  { change, expectedVersion }: { change: ShardChange; expectedVersion: number },
): Promise<void> {
  let isDone: boolean;
  try {
    isDone = await orderLog.reshard(change, expectedVersion);
  } catch (error) {
    if (error instanceof AppError) throw error;
    if (error instanceof OrderLogSetupError)
      throw new AppError("BAD_REQUEST", error.message, { cause: error });
    // Beside the transaction, which is rolled back: the change may have been made.
    const { target, before, after, reason } = note;
    await writeAudit(prisma, audit, { target, before, after, reason, outcome: "failed" });
    throw new AppError(
      "BUSY",
      "The order log gave no answer: it is unknown whether the shards were changed. List them before you try again.",
      { retryAfterMs: 2_000, cause: error },
    );
  }
  if (!isDone) throw conflict();
}

/** Null: the log does not list the new shards yet. */
async function newVersion(orderLog: ReshardableLog, before: number): Promise<number | null> {
  const untilMs = performance.now() + WAIT_MS;
  for (;;) {
    // In the middle of a change a log may list no complete set of shards.
    const version = await orderLog.readMap().then(
      map => map.version,
      () => before,
    );
    if (version !== before) return version;
    if (performance.now() >= untilMs) return null;
    await sleep(BETWEEN_READS_MS);
  }
}
