import { once } from "node:events";
import { type AddressInfo, connect, createServer, type Server, type Socket } from "node:net";

export type TcpProxyOptions = {
  /** 0 or absent: any free port. */
  port?: number;
  /** Sees every chunk that a client sends, when it is forwarded. */
  onClientData?: (connection: number, chunk: Buffer) => void;
};

type Lost = { text: string; after: string; connection: number | null };

/** A proxy before a real server that can stall (sockets stay open and no bytes pass) and lose an answer. */
export class TcpProxy {
  private readonly pairs = new Set<[client: Socket, upstream: Socket]>();
  private isStalled = false;
  private opened = 0;
  private lost: Lost | null = null;

  private constructor(
    private readonly server: Server,
    private target: URL,
  ) {}

  static async start(targetUrl: string, options: TcpProxyOptions = {}): Promise<TcpProxy> {
    const server = createServer();
    const proxy = new TcpProxy(server, new URL(targetUrl));
    server.on("connection", client => {
      const connection = proxy.opened++;
      const upstream = connect(Number(proxy.target.port), proxy.target.hostname);
      const pair: [Socket, Socket] = [client, upstream];
      proxy.pairs.add(pair);
      const close = () => {
        proxy.pairs.delete(pair);
        client.destroy();
        upstream.destroy();
      };
      for (const socket of pair) socket.on("error", close).on("close", close);
      client.on("data", chunk => {
        options.onClientData?.(connection, chunk);
        if (proxy.loses(connection, chunk.toString("latin1")))
          upstream.removeAllListeners("data").once("data", close);
        upstream.write(chunk);
      });
      upstream.on("data", chunk => client.write(chunk));
      if (proxy.isStalled) for (const socket of pair) socket.pause();
    });
    server.listen(options.port ?? 0, "127.0.0.1");
    await once(server, "listening");
    return proxy;
  }

  /** Connections that are open at the moment. */
  get openConnections(): number {
    return this.pairs.size;
  }

  get port(): number {
    return (this.server.address() as AddressInfo).port;
  }

  /** The same URL, through this proxy. */
  through(url: string): string {
    const proxied = new URL(url);
    proxied.hostname = "127.0.0.1";
    proxied.port = String(this.port);
    return proxied.href;
  }

  /** New connections lead there; those that are open still lead to the old target. */
  retarget(url: string): void {
    this.target = new URL(url);
  }

  stall(): void {
    this.isStalled = true;
    for (const socket of [...this.pairs].flat()) socket.pause();
  }

  /**
   * The next message with this text, on the connection that has sent `after` before, reaches the server. Its answer
   * does not come back, and the connection ends.
   */
  loseAnswerTo(text: string, after: string): void {
    this.lost = { text, after, connection: null };
  }

  private loses(connection: number, chunk: string): boolean {
    if (!this.lost) return false;
    if (chunk.includes(this.lost.after)) this.lost.connection = connection;
    if (this.lost.connection !== connection || !chunk.includes(this.lost.text)) return false;
    this.lost = null;
    return true;
  }

  flow(): void {
    this.isStalled = false;
    for (const socket of [...this.pairs].flat()) socket.resume();
  }

  async stop(): Promise<void> {
    const closed = new Promise(resolve => this.server.close(resolve));
    for (const socket of [...this.pairs].flat()) socket.destroy();
    await closed;
  }
}
