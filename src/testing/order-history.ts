import { AppError } from "../domain/app-error";
import type { Order } from "../domain/orders/order";
import { compareStamps } from "../domain/orders/order-stamp";
import { seededRandom } from "../domain/seeded-random";
import { SimulatedAggregator } from "./order-simulation/simulated-aggregator";
import { SimulatedProducer, type Submitted } from "./order-simulation/simulated-producer";
import { World } from "./order-simulation/world";

const SYMBOLS = ["DOGE", "BTC"];
/** The factors that DOGE goes through, one after the other. */
const FACTORS = [1, 5, 2, 1];

/** By how much Redis' clock steps, microseconds. */
const STEPS_US = [1_000_000, 60_000_000, 3_600_000_000];

/** `durable`: at which step the caller's receipt resolved, by order. */
export type Outcome = {
  submitted: (Submitted & { atStep: number })[];
  durable: Map<string, number>;
  world: World;
};

/** One whole history: producers, aggregators, faults, split changes, reshards and crashes in random order. */
export async function runHistory(
  seed: number,
  { fences, steps }: { fences: boolean; steps: number },
): Promise<Outcome> {
  const random = seededRandom(seed);
  const world = new World(random, 2 + Math.floor(random() * 4), fences);
  const plans = new Map([["DOGE", FACTORS[0]!]]);
  const submitted: Outcome["submitted"] = [];
  const durable = new Map<string, number>();
  let step = 0;
  let serial = 0;
  let epoch = 1;
  let planStep = 0;
  const makeProducer = () => new SimulatedProducer(world, `p${serial++}`, plans);
  let producers = Array.from({ length: 2 + Math.floor(random() * 2) }, makeProducer);
  let aggregators = [new SimulatedAggregator(world, epoch)];

  const submit = (from: SimulatedProducer) => {
    const count = 1 + Math.floor(random() * 3);
    const orders = Array.from({ length: count }, () =>
      orderOf(world.pick(SYMBOLS), `${from.name}-${Math.floor(random() * 2)}`, serial++),
    );
    try {
      const receipt = from.producer.accept(orders);
      for (const order of orders) submitted.push({ ...order, receipt, atStep: step });
      void receipt.durable.then(() => {
        for (const { orderId } of orders) durable.set(orderId, step);
      });
    } catch (error) {
      if (!(error instanceof AppError)) throw error;
    }
  };
  const crashProducer = () => {
    const victim = world.pick(producers);
    victim.actor.isAlive = false;
    producers = [...producers.filter(producer => producer !== victim), makeProducer()];
  };

  for (; step < steps; step += 1) {
    world.nowUs += Math.floor(random() * 4_000);
    const what = random();
    if (what < 0.5) await world.deliverOne();
    else if (what < 0.62) submit(world.pick(producers));
    else if (what < 0.78) world.pick(producers).work();
    else if (what < 0.955) world.pick(aggregators).work();
    else if (what < 0.965) world.pick(producers).follow(plans);
    else if (what < 0.975) plans.set("DOGE", FACTORS[planStep++ % FACTORS.length]!);
    else if (what < 0.98) world.reshard();
    else if (what < 0.985) crashProducer();
    // A producer that sleeps for longer than the window, and then continues.
    else if (what < 0.99) world.nowUs += 250_000;
    else if (what < 0.993) world.redisAheadUs += world.pick(STEPS_US) * (world.chance(0.5) ? 1 : -1);
    else {
      // A new owner; the old one is killed, or goes on and does not know it yet.
      epoch += 1;
      if (world.chance(0.5)) for (const old of aggregators) old.kill();
      aggregators = [...aggregators.slice(-1), new SimulatedAggregator(world, epoch)];
    }
  }

  // From here on nothing fails, and everything that is left has to arrive.
  world.faults = false;
  const last = new SimulatedAggregator(world, epoch + 1);
  for (let round = 1; round < 5_000; round += 1) {
    world.nowUs += 500;
    for (const producer of producers) producer.work();
    last.work();
    for (let i = 0; i < 4; i += 1) await world.deliverOne();
    if (round % 50 > 0) continue;
    const isSent = producers.every(({ producer }) => producer.buffered === 0);
    if (isSent && last.bufferedEvents === 0 && checkOutcome({ submitted, durable, world }).lost.length === 0)
      break;
  }
  return { submitted, durable, world };
}

function orderOf(symbol: string, accountId: string, serial: number): Order {
  return { kind: "limit", symbol, orderId: `o${serial}`, accountId, side: "buy", price: 1, quantity: 1 };
}

/**
 * `accountViolations`: orders behind a later order of their account that the same server took.
 * `lost`: orders that were reported as durable, and that neither the engine nor the dead-letter
 * stream has seen.
 */
export function checkOutcome({ submitted, durable, world }: Outcome): {
  violations: number;
  accountViolations: number;
  doubled: number;
  lost: string[];
} {
  let violations = 0;
  let accountViolations = 0;
  let doubled = 0;
  const seen = new Set<string>();
  const place = new Map<string, number>();
  for (const symbol of SYMBOLS) {
    const orders = world.ordered.get(symbol) ?? [];
    orders.forEach(({ stamp, orderId }, i) => {
      if (i > 0 && compareStamps(orders[i - 1]!.stamp, stamp) >= 0) violations += 1;
      if (seen.has(orderId)) doubled += 1;
      seen.add(orderId);
      place.set(orderId, i);
    });
  }
  // An account's orders come out in the order in which their server took them.
  const last = new Map<string, number>();
  for (const { symbol, accountId, orderId } of submitted) {
    const at = place.get(orderId);
    if (at === undefined) continue;
    const key = `${symbol} ${accountId}`;
    if (at < (last.get(key) ?? -1)) accountViolations += 1;
    last.set(key, Math.max(at, last.get(key) ?? -1));
  }
  return { violations, accountViolations, doubled, lost: [...durable.keys()].filter(id => !seen.has(id)) };
}
