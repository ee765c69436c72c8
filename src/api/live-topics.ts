import type { Action } from "../domain/permissions";
import { decideFor } from "../services/read-actor";
import type { Context } from "./context";

type Topic = { action: Action; read(ctx: Context): Promise<unknown> };

/** What a page looks at besides health: its query's answer, which then comes with the live stream. */
const TOPICS = {
  "symbol.list": { action: "symbol.view", read: ctx => ctx.services.orders.listSymbols() },
  "orders.status": { action: "orders.view", read: ctx => ctx.services.orders.status() },
  "engine.list": { action: "orders.view", read: ctx => ctx.services.orders.listEngines() },
  "lab.status": { action: "lab.view", read: ctx => ctx.services.lab.status() },
} as const satisfies Record<string, Topic>;

export type TopicName = keyof typeof TOPICS;
export const TOPIC_NAMES = Object.keys(TOPICS) as [TopicName, ...TopicName[]];

export type LiveAnswer = { of: TopicName; data: unknown };

/** Null when it could not be read, or the caller may not see it: asking for it by itself says why. */
export async function readTopic(ctx: Context, name: TopicName): Promise<LiveAnswer | null> {
  const topic: Topic = TOPICS[name];
  if (!(await maySee(ctx, topic.action))) return null;
  return topic.read(ctx).then(
    data => ({ of: name, data }),
    () => null,
  );
}

/** Of one stream some callers get less than others. */
export async function maySee(ctx: Context, action: Action): Promise<boolean> {
  const actor = await ctx.actor();
  return actor !== null && decideFor(actor, action, new Set()).allowed;
}
