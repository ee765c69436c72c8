import type { ProducerView } from "../store/producer-registry";

export type SilentProducer = ProducerView & { silentUs: number };

/**
 * How long producers have been silent, by this process' own clock: `seenUs` is only compared with what it was,
 * never with a clock, which may step. The time between two views counts up to `maxGapUs`, so after a pause of
 * this process or of the registry, producers that run can publish before they count as silent.
 */
export class SilenceWatch {
  private readonly producers = new Map<number, { seenUs: number; silentUs: number }>();
  private lastUs: number | null = null;

  /** @param silenceUs how long a producer may be silent */
  constructor(
    private readonly silenceUs: number,
    private readonly maxGapUs: number,
  ) {}

  /** The producers that have been silent for longer than the bound. @param nowUs of a clock without steps */
  observe(views: readonly ProducerView[], nowUs: number): SilentProducer[] {
    const passedUs = Math.min(nowUs - (this.lastUs ?? nowUs), this.maxGapUs);
    this.lastUs = nowUs;
    const silent: SilentProducer[] = [];
    const alive = new Set<number>();
    for (const view of views) {
      alive.add(view.producer);
      const known = this.producers.get(view.producer);
      const silentUs = known?.seenUs === view.seenUs ? known.silentUs + passedUs : 0;
      this.producers.set(view.producer, { seenUs: view.seenUs, silentUs });
      if (silentUs > this.silenceUs) silent.push(Object.assign({ silentUs }, view));
    }
    for (const producer of this.producers.keys()) if (!alive.has(producer)) this.producers.delete(producer);
    return silent;
  }
}
