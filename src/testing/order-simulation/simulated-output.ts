import type { Found } from "../../aggregate/find-stamps";
import type { Checkpoint, ClaimedHead, OrderedFrames, OrderedOutput } from "../../aggregate/ordered-output";
import { LeaseLost } from "../../aggregate/ordered-output";
import { formatStamp, type Stamp } from "../../domain/orders/order-stamp";
import { unpackOrder } from "../../store/codec/order-payload";
import { decodeFrame } from "../../store/codec/ordered-frame";
import type { Actor, World } from "./world";

/** The ordered streams, which refuse what does not follow on. */
export class SimulatedOutput implements OrderedOutput {
  constructor(
    private readonly world: World,
    private readonly actor: Actor,
  ) {}

  async claim(symbol: string, epoch: number): Promise<ClaimedHead> {
    const { world } = this;
    await world.turn(this.actor);
    const known = world.heads.get(symbol);
    if (known && known.epoch > epoch) throw new LeaseLost();
    const empty = {
      position: 0,
      last: { timeUs: 0, producer: 0, sequence: 0 },
      frontier: new Map(),
      passed: 0,
    };
    const head = { ...(known ?? empty), epoch };
    world.heads.set(symbol, head);
    await world.turn(this.actor);
    return head;
  }

  async write({ symbol, epoch, before, head, frames }: OrderedFrames): Promise<number> {
    const { world } = this;
    const stored = { ...head, frontier: new Map(head.frontier), epoch, passed: 0 };
    await world.turn(this.actor);
    const known = world.heads.get(symbol)!;
    if (known.epoch > epoch) throw new LeaseLost();
    if (known.position !== before) throw new Error("not where it was left");
    const orders = world.ordered.get(symbol) ?? [];
    world.ordered.set(symbol, orders);
    for (const { bytes, lastPosition } of frames) {
      const frame = decodeFrame(bytes);
      if (frame.firstPosition !== orders.length + 1) throw new Error("a hole in the positions");
      let i = 0;
      for (const payload of frame.payloads()) {
        const { orderId, accountId } = unpackOrder(payload, symbol);
        orders.push({ stamp: frame.stampAt(i), orderId, accountId });
        i += 1;
      }
      if (lastPosition !== orders.length) throw new Error("a wrong last position");
    }
    world.heads.set(symbol, stored);
    await world.turn(this.actor);
    return 0;
  }

  async find(symbol: string, stamps: readonly Stamp[]): Promise<Found[]> {
    await this.world.turn(this.actor);
    const known = new Set((this.world.ordered.get(symbol) ?? []).map(({ stamp }) => formatStamp(stamp)));
    return stamps.map(stamp => (known.has(formatStamp(stamp)) ? "yes" : "no"));
  }

  async readCheckpoint(partition: number): Promise<Checkpoint> {
    await this.world.turn(this.actor);
    return new Map(this.world.checkpoints.get(partition)?.checkpoint);
  }

  async writeCheckpoint(partition: number, epoch: number, checkpoint: Checkpoint): Promise<void> {
    await this.world.turn(this.actor);
    const known = this.world.checkpoints.get(partition);
    if (known && known.epoch > epoch) throw new LeaseLost();
    this.world.checkpoints.set(partition, { epoch, checkpoint: new Map(checkpoint) });
  }
}
