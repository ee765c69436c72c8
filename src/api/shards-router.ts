import { z } from "zod";
import { SHARD_ID } from "../domain/orders/shard-change";
import { once } from "./once";
import { int4, reason } from "./staff-input";
import { actionProcedure, router } from "./trpc";

const shardId = z.string().regex(SHARD_ID, "A shard's id is a number, such as 4.");
const expectedVersion = int4;

export const shardsRouter = router({
  /** The open shards by hash range, with their load and the sub-keys on them. `version` is for the changes. */
  list: actionProcedure("orders.view").query(({ ctx }) => ctx.services.shards.list()),

  /** The shards after a change, and why it would be refused; changes nothing. */
  preview: actionProcedure("orders.view")
    .input(
      z.discriminatedUnion("kind", [
        z.object({ kind: z.literal("split"), shardId }),
        z.object({ kind: z.literal("merge"), shardId, neighbourId: shardId }),
      ]),
    )
    .query(({ ctx, input }) => ctx.services.shards.preview(input)),

  /** Divides a shard in two halves. `expectedVersion`: the version of the list that the caller saw. */
  split: actionProcedure("shards.change")
    .input(z.object({ shardId, expectedVersion, reason }))
    .mutation(
      once(({ ctx, input }) =>
        ctx.services.shards.change(ctx.audit, {
          change: { kind: "split", shardId: input.shardId },
          expectedVersion: input.expectedVersion,
          reason: input.reason,
        }),
      ),
    ),

  /** Makes one shard of two whose hash ranges meet. */
  merge: actionProcedure("shards.change")
    .input(z.object({ shardId, neighbourId: shardId, expectedVersion, reason }))
    .mutation(
      once(({ ctx, input }) =>
        ctx.services.shards.change(ctx.audit, {
          change: { kind: "merge", shardId: input.shardId, neighbourId: input.neighbourId },
          expectedVersion: input.expectedVersion,
          reason: input.reason,
        }),
      ),
    ),
});
