import pg from "pg";

/** The channel on which signups notify the relay of outbox events. A notification has no payload. */
export const OUTBOX_CHANNEL = "floodgate_outbox";

/** The name of a listening connection in pg_stat_activity, before its relay's name. */
export const RELAY_CONNECTION = "floodgate relay ";

export type ListenerOptions = {
  url: string;
  relay: string;
  onNotification: () => void;
  onError: (error: Error) => void;
  retryMs: number;
};

/**
 * LISTENs on a connection of its own and reconnects when it breaks. Notifications may be lost at any
 * time: the caller must poll as well.
 */
export function startListener({ url, relay, onNotification, onError, retryMs }: ListenerOptions): {
  stop(): Promise<void>;
} {
  let stopped = false;
  let client: pg.Client | null = null;
  let timer: NodeJS.Timeout | undefined;

  const connect = async () => {
    if (stopped) return;
    const fresh = new pg.Client({
      connectionString: url,
      application_name: `${RELAY_CONNECTION}${relay}`,
      connectionTimeoutMillis: 5_000,
      keepAlive: true,
    });
    client = fresh;
    const lost = (error?: Error) => {
      if (client !== fresh) return;
      client = null;
      if (error) onError(error);
      fresh.end().catch(() => {});
      if (!stopped) timer = setTimeout(connect, retryMs);
    };
    fresh.on("error", lost);
    fresh.on("end", () => lost());
    fresh.on("notification", onNotification);
    try {
      await fresh.connect();
      await fresh.query(`LISTEN ${OUTBOX_CHANNEL}`);
      // For notifications that were lost while it was disconnected.
      onNotification();
    } catch (error) {
      lost(error as Error);
    }
  };

  void connect();
  return {
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
