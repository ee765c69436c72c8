import type { StepResult } from "../runtime/run-loop";
import type { LeaseOwners } from "../store/lease-owners";
import type { Leases, PartitionLeases } from "../store/partition-leases";
import type { ProcessParts } from "./process-parts";
import { WorkWatch } from "./work-watch";

type LeasedRunnerOptions<Runner> = {
  parts: ProcessParts;
  partitions: PartitionLeases;
  /** Asked when this worker has none: whose the partitions are. */
  owners: () => Promise<LeaseOwners>;
  ttlMs: number;
  /** Makes what works on the partitions of these leases. */
  start: (leases: Leases) => Runner | Promise<Runner>;
  /** True when a write was refused because another owner has the partition now. */
  isLeaseLost: (error: unknown) => boolean;
  /** The last work of a runner, before its leases are given back. */
  finish?: (runner: Runner) => Promise<unknown>;
};

/**
 * The leases of one worker, and the runner that works on their partitions. The runner is made again when
 * the leases change and after an error: it then begins at its last checkpoint.
 */
export class LeasedRunner<Runner> {
  private leases: Leases = new Map();
  private runner: Runner | null = null;
  private readonly watch: WorkWatch;

  /** Renews the leases from now on, and gives them back at the stop. */
  constructor(private readonly options: LeasedRunnerOptions<Runner>) {
    const { parts, partitions, ttlMs, finish } = options;
    this.watch = new WorkWatch(ttlMs);
    parts.onStop(() => partitions.release().catch(parts.warn("leases not given back; they expire")));
    parts.onStop(() => this.runner && finish?.(this.runner));
    parts.loop({
      name: "leases",
      everyMs: ttlMs / 4,
      maxBackoffMs: 1_000,
      step: async () => {
        const leases = await partitions.renew();
        this.change(leases);
        const unowned = leases.size > 0 ? null : (await options.owners()).unowned.length;
        this.watch.renewed({ partitions: leases.size, unowned });
        return "idle";
      },
      failure: "lease renewal failed",
    });
  }

  /** Null before the first step, and after a change or an error. */
  get current(): Runner | null {
    return this.runner;
  }

  get partitions(): number[] {
    return [...this.leases.keys()];
  }

  /** Why this process does not do the work it should do, in words; null while it does. */
  get problem(): string | null {
    return this.watch.problem;
  }

  /** One step of the runner; idle without leases. */
  async step(work: (runner: Runner) => Promise<StepResult>): Promise<StepResult> {
    if (this.leases.size === 0) return "idle";
    const leases = this.leases;
    const runner = this.runner ?? (await this.options.start(leases));
    // The partitions may have got another owner while it started.
    if (this.leases !== leases) return "again";
    this.runner = runner;
    try {
      const result = await work(runner);
      this.watch.worked();
      return result;
    } catch (error) {
      if (this.runner === runner) this.runner = null;
      this.noteLostLease(error);
      throw error;
    }
  }

  /** Work beside the steps, on the runner that there is. Only a lost lease ends the runner. */
  async use(work: (runner: Runner) => Promise<void>): Promise<void> {
    try {
      if (this.runner) await work(this.runner);
    } catch (error) {
      this.noteLostLease(error);
      throw error;
    }
  }

  /** The leases are used again after a renewal that has compared their epochs with what is stored. */
  private noteLostLease(error: unknown): void {
    if (!this.options.isLeaseLost(error)) return;
    this.runner = null;
    this.leases = new Map();
    this.options.partitions.distrust();
  }

  private change(now: Leases): void {
    const before = this.leases;
    if (now.size === before.size && [...now].every(([p, epoch]) => before.get(p) === epoch)) return;
    this.leases = now;
    this.runner = null;
    this.options.parts.log.info({ partitions: this.partitions }, "partitions leased");
  }
}
