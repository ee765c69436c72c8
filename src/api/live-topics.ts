import { z } from "zod";
import type { Action } from "../domain/access/permissions";
import { decideFor } from "../services/access/read-actor";
import type { Context } from "./context";
import { symbolPageInput } from "./symbol-page-input";

/** What a page looks at besides health: its query, whose answer then comes with the live stream. */
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

/** Null when it could not be read, or the caller may not see it: asking for it by itself says why. */
export async function readTopic(ctx: Context, topic: Topic): Promise<LiveAnswer | null> {
  if (!(await maySee(ctx, ACTIONS[topic.of]))) return null;
  return read(ctx, topic).then(
    data => ({ of: topic.of, data }),
    () => null,
  );
}

/** Of one stream some callers get less than others. */
export async function maySee(ctx: Context, action: Action): Promise<boolean> {
  const actor = await ctx.actor();
  return actor !== null && decideFor(actor, action, new Set()).allowed;
}
