import { once } from "node:events";
import { readFileSync } from "node:fs";
import {
  createSecureServer,
  type Http2SecureServer,
  type Http2ServerRequest,
  type Http2ServerResponse,
} from "node:http2";
import { createRequire } from "node:module";
import type { AddressInfo } from "node:net";
import { encodeEvent } from "./event-stream";
import { kinesisError, type ProxiedAnswer } from "./kinesis-proxy";
import { waitFor } from "./wait-for";

const CONSUMER = { ConsumerName: "test", ConsumerStatus: "ACTIVE", ConsumerARN: "arn:aws:kinesis:consumer" };

/** A subscription as it came in; events go out as they are sent. */
export class ServedSubscription {
  constructor(
    readonly body: Record<string, unknown>,
    readonly httpVersion: string,
    private readonly res: Http2ServerResponse,
  ) {}

  /** @param numbers of the records, which are also what they hold */
  send(numbers: number[], rest: Record<string, unknown> = {}): void {
    const Records = numbers.map(n => ({
      SequenceNumber: `${n}`,
      Data: Buffer.from(`r${n}`).toString("base64"),
      PartitionKey: "DOGE",
    }));
    const event = { Records, ContinuationSequenceNumber: `${numbers.at(-1) ?? 0}`, MillisBehindLatest: 0 };
    this.res.write(encodeEvent(eventHeaders("SubscribeToShardEvent"), { ...event, ...rest }));
  }

  /** An error that comes as an event, after which nothing comes. */
  fail(type: string): void {
    const headers = { ":message-type": "exception", ":exception-type": type };
    this.res.end(encodeEvent({ ...headers, ":content-type": "application/json" }, { message: "for a test" }));
  }

  end(): void {
    this.res.end();
  }

  hangUp(): void {
    this.res.stream.close();
  }
}

/** Speaks enough of Kinesis, over TLS and HTTP/2, for one consumer; the test writes its events. */
export class FanoutServer {
  readonly subscriptions: ServedSubscription[] = [];
  /** Answers to the next subscriptions, instead of events. */
  readonly refusals: string[] = [];

  private constructor(private readonly server: Http2SecureServer) {}

  static async start(): Promise<FanoutServer> {
    const path = createRequire(import.meta.url).resolve("kinesis-local/server.json");
    const { key, cert } = (
      JSON.parse(readFileSync(path, "utf8")) as { server: { key: string; cert: string } }
    ).server;
    const http = createSecureServer({ key, cert, allowHTTP1: true });
    const server = new FanoutServer(http);
    http.on("request", (req, res) => {
      server.answer(req, res).catch(() => res.end());
    });
    http.listen(0, "127.0.0.1");
    await once(http, "listening");
    return server;
  }

  get url(): string {
    return `https://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  /** The subscription of this number, counted from 1, when it has come. */
  async subscription(number: number): Promise<ServedSubscription> {
    await waitFor(`subscription ${number}`, () => this.subscriptions.length >= number);
    return this.subscriptions[number - 1]!;
  }

  stop(): void {
    this.server.close();
  }

  private async answer(req: Http2ServerRequest, res: Http2ServerResponse): Promise<void> {
    const chunks: Buffer[] = [];
    for await (const chunk of req) chunks.push(chunk as Buffer);
    const action = String(req.headers["x-amz-target"]).split(".").at(-1);
    if (action !== "SubscribeToShard") return send(res, { status: 200, body: ANSWERS[action!] ?? {} });
    const refusal = this.refusals.shift();
    if (refusal !== undefined) return send(res, kinesisError(refusal));
    res.writeHead(200, { "content-type": "application/vnd.amazon.eventstream" });
    res.write(encodeEvent(eventHeaders("initial-response"), {}));
    const body = JSON.parse(Buffer.concat(chunks).toString()) as Record<string, unknown>;
    this.subscriptions.push(new ServedSubscription(body, req.httpVersion, res));
  }
}

const ANSWERS: Record<string, Record<string, unknown>> = {
  DescribeStreamSummary: { StreamDescriptionSummary: { StreamARN: "arn:aws:kinesis:stream" } },
  RegisterStreamConsumer: { Consumer: CONSUMER },
  DescribeStreamConsumer: { ConsumerDescription: CONSUMER },
};

const eventHeaders = (type: string) => ({
  ":message-type": "event",
  ":event-type": type,
  ":content-type": "application/json",
});

function send(res: Http2ServerResponse, { status, body }: ProxiedAnswer): void {
  res.writeHead(status, { "content-type": "application/x-amz-json-1.1" });
  res.end(JSON.stringify(body));
}
