import type { Change, Live, LiveHandlers } from "../contract";
import type { Visibility } from "./page-visibility";

export type LiveState = {
  live: Live | null;
  /** When `live` arrived, by this browser's clock. */
  at: number | null;
  source: "connecting" | "stream" | "polling" | "lost" | "asleep";
};

type FollowOptions = {
  /** Opens the stream behind an event, or from now on. */
  open: (lastEventId: string | undefined, handlers: LiveHandlers) => { unsubscribe(): void };
  /** Asked once at a time; `signal` says when its answer is not waited for any more. */
  poll: (previous: Live | null, signal: AbortSignal) => Promise<Live>;
  onState: (state: LiveState) => void;
  /** What others changed; null when so much was missed that everything is to be read anew. */
  onNews: (changes: readonly Change[] | null) => void;
  /** What the page watches; null when it could not be read. Not called where nothing is watched. */
  onAnswer?: (answer: NonNullable<Live["answer"]> | null) => void;
  visibility: Visibility;
};

export type Following = {
  /** Subscribes anew, behind the last event: what is watched has changed. */
  reopen(): void;
  stop(): void;
};

/** The stream speaks every second: silence for this long means that it is cut, whatever the socket says. */
const SILENCE_MS = 5_000;
const POLL_MS = 5_000;
/** A server that hangs answers nothing and refuses nothing: past this it counts as lost. */
const POLL_TIMEOUT_MS = 4_000;
const RESUBSCRIBE_MS = 15_000;
/** Browsers allow six connections to a host over HTTP/1.1, so a page that nobody sees gives its own back. */
const HIDDEN_GRACE_MS = 5_000;

/**
 *   connecting ──event──▶ stream ──silence or error──▶ polling ◀──▶ lost
 *                           ▲──────────event──────────────┴───────────┘
 *   any ──hidden for a while──▶ asleep ──seen──▶ asleep, subscribed behind the last event ──event──▶ stream
 * The last answer is kept throughout; `at` says how old it is.
 */
export function followLive(options: FollowOptions): Following {
  const { open, poll, onState, onNews, onAnswer, visibility } = options;
  let state: LiveState = { live: null, at: null, source: "connecting" };
  let heardAt = Date.now();
  let subscribedAt = 0;
  let polledAt = 0;
  let lastEventId: string | undefined;
  let stopped = false;
  let stream: { unsubscribe(): void } | undefined;
  let sleepTimer: ReturnType<typeof setTimeout> | undefined;
  let isAsleep = false;

  const show = (next: Partial<LiveState>) => {
    if (stopped) return;
    state = { ...state, ...next };
    onState(state);
  };

  function subscribe() {
    stream?.unsubscribe();
    subscribedAt = Date.now();
    stream = open(lastEventId, {
      onData({ id, data }) {
        lastEventId = id;
        heardAt = Date.now();
        const { answer, ...live } = data;
        show({ live, at: heardAt, source: "stream" });
        if (answer !== undefined) onAnswer?.(answer);
        if (data.resync || data.events?.length) onNews(data.resync ? null : (data.events ?? []));
      },
      onError: () => {
        heardAt = 0;
      },
    });
  }

  function sleep() {
    isAsleep = true;
    stream?.unsubscribe();
    show({ source: "asleep" });
  }

  function onVisibility() {
    clearTimeout(sleepTimer);
    if (visibility.isHidden()) {
      sleepTimer = setTimeout(sleep, HIDDEN_GRACE_MS);
    } else if (isAsleep) {
      isAsleep = false;
      // It has not been silent: it was not listened to.
      heardAt = Date.now();
      subscribe();
    }
  }

  async function ask() {
    const askedAt = Date.now();
    polledAt = askedAt;
    const waiting = new AbortController();
    const timeout = setTimeout(() => waiting.abort(), POLL_TIMEOUT_MS);
    const silence = new Promise<never>((_, reject) => {
      waiting.signal.addEventListener("abort", () => reject(waiting.signal.reason));
    });
    try {
      const live = await Promise.race([poll(state.live, waiting.signal), silence]);
      if (!isAsleep && heardAt < askedAt) show({ live, at: Date.now(), source: "polling" });
    } catch {
      if (!isAsleep && heardAt < askedAt) show({ source: "lost" });
    } finally {
      clearTimeout(timeout);
    }
  }

  function look() {
    if (isAsleep) return;
    const now = Date.now();
    if (now - heardAt < SILENCE_MS) return;
    if (now - polledAt >= POLL_MS) void ask();
    if (now - subscribedAt >= RESUBSCRIBE_MS) subscribe();
  }

  if (visibility.isHidden()) sleep();
  else subscribe();
  const unwatch = visibility.onChange(onVisibility);
  const timer = setInterval(look, 500);
  return {
    reopen() {
      if (!isAsleep) subscribe();
    },
    stop() {
      stopped = true;
      unwatch();
      clearTimeout(sleepTimer);
      clearInterval(timer);
      stream?.unsubscribe();
    },
  };
}
