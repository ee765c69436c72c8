import { KinesisClient } from "@aws-sdk/client-kinesis";
import { NodeHttp2Handler, NodeHttpHandler } from "@smithy/node-http-handler";

export type KinesisClients = {
  /** Everything but subscriptions. Callers give each call its own limit of time. */
  calls: KinesisClient;
  /** SubscribeToShard: an answer that lasts five minutes, over HTTP/2. */
  subscriptions: KinesisClient;
  destroy(): void;
};

const CONNECT_TIMEOUT_MS = 2_000;
/** One call per shard and reader may be open at a time; past this they wait for each other. */
const MAX_SOCKETS = 200;

/**
 * Clients whose credentials and region are those that the SDK finds. They never repeat a call by
 * themselves: producers and readers do, and know what a repeat means for the order of records.
 *
 * @param endpoint another one than AWS's; one with http: is spoken to in HTTP/1, as emulators want it
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
