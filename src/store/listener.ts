import pg from "pg";

/** The channel on which signups notify the relay of outbox events. A notification has no payload. */
export const OUTBOX_CHANNEL = "floodgate_outbox";

/** The channel on which the database says that readers must follow another rollout. */
export const ROLLOUT_CHANNEL = "floodgate_rollout";

/** The name of a relay's listening connection in pg_stat_activity, before its own name. */
export const RELAY_CONNECTION = "floodgate relay ";

export type ListenerOptions = {
  url: string;
  channel: typeof OUTBOX_CHANNEL | typeof ROLLOUT_CHANNEL;
  /** Of the connection, in pg_stat_activity. */
  name: string;
  onNotification: () => void;
  onError: (error: Error) => void;
  retryMs: number;
};

/**
 * LISTENs on a connection of its own and reconnects when it breaks. Notifications may be lost at any
 * time: the caller must poll as well.
 */
export function startListener({ url, channel, name, onNotification, onError, retryMs }: ListenerOptions): {
  /** Whether notifications arrive at the moment. */
  readonly isListening: boolean;
  stop(): Promise<void>;
} {
  let stopped = false;
  let isListening = false;
  let client: pg.Client | null = null;
  let timer: NodeJS.Timeout | undefined;

  const connect = async () => {
    if (stopped) return;
    const fresh = new pg.Client({
      connectionString: url,
      application_name: name,
      connectionTimeoutMillis: 5_000,
      keepAlive: true,
    });
    client = fresh;
    const lost = (error?: Error) => {
      if (client !== fresh) return;
      client = null;
      isListening = false;
      if (error) onError(error);
      fresh.end().catch(() => {});
      if (!stopped) timer = setTimeout(connect, retryMs);
    };
    fresh.on("error", lost);
    fresh.on("end", () => lost());
    fresh.on("notification", onNotification);
    try {
      await fresh.connect();
      await fresh.query(`LISTEN ${channel}`);
      isListening = true;
      // For notifications that were lost while it was disconnected.
      onNotification();
    } catch (error) {
      lost(error as Error);
    }
  };

  void connect();
  return {
    get isListening() {
      return isListening;
    },
    async stop() {
      stopped = true;
      clearTimeout(timer);
      const last = client;
      client = null;
      await last?.end().catch(() => {});
    },
  };
}

/**
 * A function that sends the notification soon: many calls within `delayMs` make one NOTIFY. Sent outside
 * of any signup's transaction, since a NOTIFY inside would make commits wait for each other.
 */
export function createNotifier(pool: pg.Pool, delayMs: number, onError: (error: Error) => void): () => void {
  let scheduled = false;
  return () => {
    if (scheduled) return;
    scheduled = true;
    setTimeout(() => {
      scheduled = false;
      pool.query(`NOTIFY ${OUTBOX_CHANNEL}`).catch(onError);
    }, delayMs).unref();
  };
}
