import { once } from "node:events";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

/** A call as it passes, such as { action: "GetRecords", body: { ShardIterator: … } }. */
export type ProxiedCall = { action: string; body: Record<string, unknown> };
export type ProxiedAnswer = { status: number; body: Record<string, unknown> };

/**
 * `before`: an answer instead of the real one; nothing reaches Kinesis then. It may change the call. `after`: what the caller
 * gets for the real answer; null hangs up, so that the answer is lost.
 */
export type ProxyHooks = {
  before?: (call: ProxiedCall) => ProxiedAnswer | undefined;
  after?: (call: ProxiedCall, answer: ProxiedAnswer) => ProxiedAnswer | null;
};

/** An error as Kinesis puts it. */
export const kinesisError = (type: string, status = 400): ProxiedAnswer => ({
  status,
  body: { __type: type, message: `${type} for a test` },
});

/** A proxy between the SDK and Kinesis, over plain HTTP. */
export class KinesisProxy {
  hooks: ProxyHooks = {};
  /** Every call that came, in order. */
  readonly calls: ProxiedCall[] = [];

  private constructor(
    private readonly server: Server,
    private readonly target: string,
  ) {}

  static async start(target: string): Promise<KinesisProxy> {
    const server = createServer();
    const proxy = new KinesisProxy(server, target);
    server.on("request", (req, res) => {
      proxy.pass(req, res).catch(() => res.destroy());
    });
    server.listen(0, "127.0.0.1");
    await once(server, "listening");
    return proxy;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  countOf(action: string): number {
    return this.calls.filter(call => call.action === action).length;
  }

  async stop(): Promise<void> {
    this.server.closeAllConnections();
    this.server.close();
    await once(this.server, "close");
  }

  private async pass(req: IncomingMessage, res: ServerResponse): Promise<void> {
    const chunks: Buffer[] = [];
    for await (const chunk of req) chunks.push(chunk as Buffer);
    const text = Buffer.concat(chunks).toString();
    const call = {
      action: String(req.headers["x-amz-target"]).split(".").at(-1)!,
      body: JSON.parse(text) as Record<string, unknown>,
    };
    this.calls.push(call);
    const answer = this.hooks.before?.(call) ?? (await this.ask(req, JSON.stringify(call.body)));
    const changed = this.hooks.after ? this.hooks.after(call, answer) : answer;
    if (changed) send(res, changed);
    else res.destroy();
  }

  private async ask(req: IncomingMessage, body: string): Promise<ProxiedAnswer> {
    const names = ["x-amz-target", "content-type", "authorization", "x-amz-date"];
    const headers = Object.fromEntries(names.map(name => [name, String(req.headers[name] ?? "")]));
    const answer = await fetch(this.target, { method: "POST", headers, body });
    const text = await answer.text();
    return { status: answer.status, body: text === "" ? {} : JSON.parse(text) };
  }
}

function send(res: ServerResponse, { status, body }: ProxiedAnswer): void {
  res.writeHead(status, { "content-type": "application/x-amz-json-1.1" });
  res.end(JSON.stringify(body));
}
