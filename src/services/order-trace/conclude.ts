import { compareStamps } from "../../domain/orders/order-stamp";
import type { FoundOrder } from "./order-id";
import type { OrderTrace } from "./order-trace";
import type { MatchedOrder, Refusal } from "./read-matched-order";
import type { DeadLetterOfOrder } from "./search-dead-letters";

type Traced = Omit<OrderTrace, "conclusion">;

/** Says of the parts that were not looked at whole that they were not: "unknown" is an answer. */
export function conclude(trace: Traced): string {
  const { engine, ordered, log, deadLetters, isKnownHere } = trace;
  if (engine?.order) return ofMatched(engine.order);
  const waits = trace.waitsFor === null ? "" : ` ${trace.waitsFor}`;
  const isRefused = (position: number) => engine?.rejects.some(reject => reject.position === position);
  // The engine may have refused it since the stream was read.
  const place = ordered?.orders.find(({ position }) => !isRefused(position));
  if (place) return `It has position ${place.position} and waits for the engine.${waits}`;
  const isDead = ({ stamp }: FoundOrder) =>
    deadLetters.orders.some(dead => compareStamps(dead.stamp, stamp) === 0);
  const record = log?.orders.find(order => !order.isRead && !isDead(order));
  if (record) return `It is durable in shard ${record.shardId} and waits to be put in order.${waits}`;
  const refusal = engine?.rejects.at(-1);
  if (refusal) return ofRefusal(refusal);
  const dead = deadLetters.orders[0];
  if (dead) return ofDead(dead);
  const gaps = gapsOf(trace);
  if (isKnownHere) return `This server took it, and it was not found behind the server.${waits}${gaps}`;
  return gaps === "" ? "Floodgate keeps nothing of this order." : `It was not found.${gaps}`;
}

function ofMatched({
  state,
  reason,
  filled,
  quantity,
  position,
  side,
}: NonNullable<MatchedOrder["order"]>): string {
  const traded = `${filled} of ${quantity} ${side === "buy" ? "bought" : "sold"}`;
  if (state === "rejected") return `The engine refused it at position ${position}: ${reason}.`;
  if (state === "filled") return `It is filled: ${traded}.`;
  if (state === "cancelled") return `It is cancelled: ${traded}.`;
  return `It is in the book since position ${position}: ${traded}.`;
}

const ofRefusal = ({ position, reason }: Refusal) =>
  `The engine has no such order. It refused what came with this id at position ${position}: ${reason}.`;

function ofDead({ reason, replay }: DeadLetterOfOrder): string {
  return `It became a dead letter (${reason}) and never reached the engine. ${replay ?? "It was not replayed."}`;
}

function gapsOf({ log, ordered, deadLetters, symbol }: Traced): string {
  const gaps: string[] = [];
  if (log && !log.isSearched) gaps.push("The log in Kinesis was not searched.");
  else if (log && !log.isComplete) gaps.push("Only the oldest records of the log were searched.");
  if (ordered && !ordered.isComplete) gaps.push("Only a part of the ordered stream was searched.");
  if (!deadLetters.isComplete) gaps.push("Only the newest dead letters were searched.");
  if (deadLetters.withoutOrders > 0)
    gaps.push(
      `${deadLetters.withoutOrders} dead letters kept no orders, so it may have been in one of them.`,
    );
  if (symbol === null) gaps.push("Give the symbol to look among refused cancels, too.");
  return gaps.map(gap => ` ${gap}`).join("");
}
