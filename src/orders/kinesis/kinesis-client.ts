import { KinesisClient } from "@aws-sdk/client-kinesis";
import { NodeHttp2Handler, NodeHttpHandler } from "@smithy/node-http-handler";

export type KinesisClients = {
  /** For all calls but subscriptions. Callers give each call its own timeout. */
  calls: KinesisClient;
  /** For SubscribeToShard: a response that lasts five minutes, over HTTP/2. */
  subscriptions: KinesisClient;
  destroy(): void;
};

const CONNECT_TIMEOUT_MS = 2_000;
/** Each shard and reader may have one open call; above this number calls wait for each other. */
const MAX_SOCKETS = 200;

/**
 * Clients with the credentials and the region that the SDK finds. They never retry: producers and readers
 * do, since a retry can change the order of records.
 *
 * @param endpoint instead of that of AWS; with http: it is called over HTTP/1, as emulators need it
 */
export function createKinesisClients(endpoint?: string): KinesisClients {
  const shared = { maxAttempts: 1, ...(endpoint === undefined ? {} : { endpoint }) };
  const isPlain = endpoint?.startsWith("http:") ?? false;
  const http1 = () =>
    new NodeHttpHandler({
      connectionTimeout: CONNECT_TIMEOUT_MS,
      httpAgent: { keepAlive: true, maxSockets: MAX_SOCKETS },
      httpsAgent: { keepAlive: true, maxSockets: MAX_SOCKETS },
    });
  const calls = new KinesisClient({ ...shared, requestHandler: http1() });
  const subscriptions = new KinesisClient({
    ...shared,
    requestHandler: isPlain ? http1() : new NodeHttp2Handler(),
  });
  return {
    calls,
    subscriptions,
    destroy() {
      calls.destroy();
      subscriptions.destroy();
    },
  };
}
