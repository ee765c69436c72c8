import { z } from "zod";
import type { Action } from "../domain/access/permissions";
import { decideFor } from "../services/access/read-actor";
import type { Context } from "./context";
import { symbolPageInput } from "./symbol-page-input";

/** The query of the open page: the live stream carries its answer. */
export const topicInput = z.discriminatedUnion("of", [
  z.object({ of: z.literal("symbol.page"), input: symbolPageInput }),
  z.object({ of: z.literal("orders.status") }),
  z.object({ of: z.literal("engine.list") }),
  z.object({ of: z.literal("lab.status") }),
]);
type Topic = z.infer<typeof topicInput>;

export type LiveAnswer = { of: Topic["of"]; data: unknown };

const ACTIONS: Record<Topic["of"], Action> = {
  "symbol.page": "symbol.view",
  "orders.status": "orders.view",
  "engine.list": "orders.view",
  "lab.status": "lab.view",
};

function read({ services: { orders, lab } }: Context, topic: Topic): Promise<unknown> {
  switch (topic.of) {
    case "symbol.page":
      return orders.symbolPage(topic.input);
    case "orders.status":
      return orders.status();
    case "engine.list":
      return orders.listEngines();
    case "lab.status":
      return lab.status();
  }
}

/** Null when the query failed or the caller may not view it; the query itself answers with the reason. */
export async function readTopic(ctx: Context, topic: Topic): Promise<LiveAnswer | null> {
  if (!(await maySee(ctx, ACTIONS[topic.of]))) return null;
  return read(ctx, topic).then(
    data => ({ of: topic.of, data }),
    () => null,
  );
}

/** A stream leaves out the parts that its caller may not view. */
export async function maySee(ctx: Context, action: Action): Promise<boolean> {
  const actor = await ctx.actor();
  return actor !== null && decideFor(actor, action, new Set()).allowed;
}
