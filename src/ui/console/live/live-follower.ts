import type { Change, Live, LiveHandlers } from "../contract";
import type { Visibility } from "./page-visibility";

export type LiveState = {
  live: Live | null;
  /** When `live` arrived, by this browser's clock. */
  at: number | null;
  source: "connecting" | "stream" | "polling" | "lost" | "paused";
};

type LiveFollowerOptions = {
  /** Opens the stream after an event id, or at the newest event without one. */
  open: (lastEventId: string | undefined, handlers: LiveHandlers) => { unsubscribe(): void };
  /** One poll runs at a time; `signal` aborts it at its timeout. */
  poll: (previous: Live | null, signal: AbortSignal) => Promise<Live>;
  onState: (state: LiveState) => void;
  /** The changes of all users; null when events were missed and all data must be read again. */
  onChanges: (changes: readonly Change[] | null) => void;
  /** The data of the watched topic; null when it could not be read. Not called without a topic. */
  onTopicData?: (answer: NonNullable<Live["answer"]> | null) => void;
  visibility: Visibility;
};

const CHECK_INTERVAL_MS = 500;
/** The stream has an event every second. Without one for this long the connection counts as broken. */
const SILENCE_MS = 5_000;
const POLL_INTERVAL_MS = 5_000;
/** A hanging server never responds: after this time the poll counts as failed. */
const POLL_TIMEOUT_MS = 4_000;
const RESUBSCRIBE_MS = 15_000;
/** Browsers allow six connections to a host over HTTP/1.1, so a hidden page closes its own. */
const HIDDEN_GRACE_MS = 5_000;

/**
 *   connecting ──event──▶ stream ──silence or error──▶ polling ◀──▶ lost
 *                           ▲──────────event──────────────┴───────────┘
 *   any ──page hidden──▶ paused ──page visible──▶ paused, subscribed again ──event──▶ stream
 * The last data is kept throughout; `at` is its age.
 */
export class LiveFollower {
  private state: LiveState = { live: null, at: null, source: "connecting" };
  private lastEventId: string | undefined;
  private stream: { unsubscribe(): void } | undefined;
  private eventAt = 0;
  private subscribedAt = 0;
  private polledAt = 0;
  private isPaused = false;
  private isStopped = false;
  private pauseTimer: ReturnType<typeof setTimeout> | undefined;
  private checkTimer: ReturnType<typeof setInterval> | undefined;
  private unwatch: (() => void) | undefined;

  constructor(private readonly options: LiveFollowerOptions) {}

  start(): void {
    const { visibility } = this.options;
    this.eventAt = Date.now();
    if (visibility.isHidden()) this.pause();
    else this.subscribe();
    this.unwatch = visibility.onChange(() => this.onVisibility());
    this.checkTimer = setInterval(() => this.check(), CHECK_INTERVAL_MS);
  }

  /** Subscribes again after the last event, for another topic. */
  reopen(): void {
    if (!this.isPaused) this.subscribe();
  }

  stop(): void {
    this.isStopped = true;
    this.unwatch?.();
    clearTimeout(this.pauseTimer);
    clearInterval(this.checkTimer);
    this.stream?.unsubscribe();
  }

  private show(next: Partial<LiveState>): void {
    if (this.isStopped) return;
    this.state = { ...this.state, ...next };
    this.options.onState(this.state);
  }

  private subscribe(): void {
    this.stream?.unsubscribe();
    this.subscribedAt = Date.now();
    this.stream = this.options.open(this.lastEventId, {
      onData: event => this.onEvent(event),
      onError: () => {
        this.eventAt = 0;
      },
    });
  }

  private onEvent({ id, data }: Parameters<LiveHandlers["onData"]>[0]): void {
    const { onTopicData, onChanges } = this.options;
    const { answer, ...live } = data;
    this.lastEventId = id;
    this.eventAt = Date.now();
    this.show({ live, at: this.eventAt, source: "stream" });
    if (answer !== undefined) onTopicData?.(answer);
    if (data.resync || data.events?.length) onChanges(data.resync ? null : (data.events ?? []));
  }

  private onVisibility(): void {
    clearTimeout(this.pauseTimer);
    if (this.options.visibility.isHidden()) {
      this.pauseTimer = setTimeout(() => this.pause(), HIDDEN_GRACE_MS);
    } else if (this.isPaused) {
      this.isPaused = false;
      // The time of the pause does not count as silence of the stream.
      this.eventAt = Date.now();
      this.subscribe();
    }
  }

  private pause(): void {
    this.isPaused = true;
    this.stream?.unsubscribe();
    this.show({ source: "paused" });
  }

  /** Polls while the stream is silent, and subscribes again from time to time. */
  private check(): void {
    const now = Date.now();
    if (this.isPaused || now - this.eventAt < SILENCE_MS) return;
    if (now - this.polledAt >= POLL_INTERVAL_MS) void this.poll();
    if (now - this.subscribedAt >= RESUBSCRIBE_MS) this.subscribe();
  }

  private async poll(): Promise<void> {
    const startedAt = Date.now();
    this.polledAt = startedAt;
    const isCurrent = () => !this.isPaused && this.eventAt < startedAt;
    try {
      const live = await this.pollOnce();
      if (isCurrent()) this.show({ live, at: Date.now(), source: "polling" });
    } catch {
      if (isCurrent()) this.show({ source: "lost" });
    }
  }

  /** Rejects at the timeout, even if the poll ignores its signal. */
  private async pollOnce(): Promise<Live> {
    const abort = new AbortController();
    const timer = setTimeout(() => abort.abort(), POLL_TIMEOUT_MS);
    const timeout = new Promise<never>((_, reject) => {
      abort.signal.addEventListener("abort", () => reject(abort.signal.reason));
    });
    try {
      return await Promise.race([this.options.poll(this.state.live, abort.signal), timeout]);
    } finally {
      clearTimeout(timer);
    }
  }
}
