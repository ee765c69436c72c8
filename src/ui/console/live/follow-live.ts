import type { Change, Live, LiveHandlers } from "../contract";

export type LiveState = {
  live: Live | null;
  /** When `live` arrived, by this browser's clock. */
  at: number | null;
  source: "connecting" | "stream" | "polling" | "lost";
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

/**
 *   connecting ──event──▶ stream ──silence or error──▶ polling ◀──▶ lost
 *                           ▲──────────event──────────────┴───────────┘
 * The last answer is kept throughout; `at` says how old it is.
 */
export function followLive({ open, poll, onState, onNews, onAnswer }: FollowOptions): Following {
  let state: LiveState = { live: null, at: null, source: "connecting" };
  let heardAt = Date.now();
  let subscribedAt = 0;
  let polledAt = 0;
  let lastEventId: string | undefined;
  let stopped = false;
  let stream: { unsubscribe(): void } | undefined;

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
      if (heardAt < askedAt) show({ live, at: Date.now(), source: "polling" });
    } catch {
      if (heardAt < askedAt) show({ source: "lost" });
    } finally {
      clearTimeout(timeout);
    }
  }

  function look() {
    const now = Date.now();
    if (now - heardAt < SILENCE_MS) return;
    if (now - polledAt >= POLL_MS) void ask();
    if (now - subscribedAt >= RESUBSCRIBE_MS) subscribe();
  }

  subscribe();
  const timer = setInterval(look, 500);
  return {
    reopen: subscribe,
    stop() {
      stopped = true;
      clearInterval(timer);
      stream?.unsubscribe();
    },
  };
}
