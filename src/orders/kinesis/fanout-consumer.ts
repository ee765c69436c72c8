import { setTimeout as sleep } from "node:timers/promises";
import {
  DescribeStreamConsumerCommand,
  DescribeStreamSummaryCommand,
  RegisterStreamConsumerCommand,
  SubscribeToShardCommand,
  type SubscribeToShardEventStream,
} from "@aws-sdk/client-kinesis";
import type { Start } from "./kinesis-calls";
import type { KinesisClients } from "./kinesis-client";
import { explained, nameOf } from "./kinesis-fault";

const CALL_TIMEOUT_MS = 5_000;
const ACTIVE_TRIES = 120;
const BETWEEN_TRIES_MS = 500;

/** A registered consumer of the stream: each has its own 2 MiB/s of every shard. */
export interface ShardSubscriber {
  subscribe(
    shardName: string,
    start: Start,
    signal: AbortSignal,
  ): Promise<AsyncIterable<SubscribeToShardEventStream>>;
}

/** Registers the consumer at the first subscription. It stays registered, and is billed, after a stop. */
export class FanoutConsumer implements ShardSubscriber {
  private arn: Promise<string> | null = null;

  constructor(
    private readonly clients: KinesisClients,
    private readonly options: { stream: string; consumer: string },
  ) {}

  async subscribe(
    shardName: string,
    start: Start,
    signal: AbortSignal,
  ): Promise<AsyncIterable<SubscribeToShardEventStream>> {
    this.arn ??= this.register();
    const arn = await this.arn.catch(error => {
      this.arn = null;
      throw explained(error, this.options.stream);
    });
    const command = new SubscribeToShardCommand({
      ConsumerARN: arn,
      ShardId: shardName,
      StartingPosition: {
        Type: start.type,
        ...(start.type === "TRIM_HORIZON" ? {} : { SequenceNumber: start.number }),
      },
    });
    const { EventStream } = await this.clients.subscriptions.send(command, { abortSignal: signal });
    if (!EventStream) throw new Error("Kinesis returned a subscription without events");
    return EventStream;
  }

  private async register(): Promise<string> {
    const { calls } = this.clients;
    const { stream, consumer } = this.options;
    const limit = () => ({ abortSignal: AbortSignal.timeout(CALL_TIMEOUT_MS) });
    const summary = await calls.send(new DescribeStreamSummaryCommand({ StreamName: stream }), limit());
    const names = { StreamARN: summary.StreamDescriptionSummary?.StreamARN, ConsumerName: consumer };
    await calls.send(new RegisterStreamConsumerCommand(names), limit()).catch(error => {
      // The consumer is already registered.
      if (nameOf(error) !== "ResourceInUseException") throw error;
    });
    for (let attempt = 0; attempt < ACTIVE_TRIES; attempt += 1) {
      const { ConsumerDescription: found } = await calls.send(
        new DescribeStreamConsumerCommand(names),
        limit(),
      );
      if (found?.ConsumerStatus === "ACTIVE" && found.ConsumerARN) return found.ConsumerARN;
      await sleep(BETWEEN_TRIES_MS);
    }
    throw new Error(`the consumer “${consumer}” did not become active`);
  }
}
