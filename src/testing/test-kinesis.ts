import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { copyFile, mkdtemp, rm } from "node:fs/promises";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import {
  CreateStreamCommand,
  DescribeStreamSummaryCommand,
  KinesisClient,
  MergeShardsCommand,
  SplitShardCommand,
} from "@aws-sdk/client-kinesis";
import { NodeHttpHandler } from "@smithy/node-http-handler";
import { shardNameOf } from "../orders/kinesis/kinesis-shards";
import { freePort } from "../runtime/ports";
import { waitFor } from "./wait-for";

/** What the SDK finds in the environment of a process that uses Kinesis. */
export const AWS_ENV = {
  AWS_REGION: "us-east-1",
  AWS_ACCESS_KEY_ID: "test",
  AWS_SECRET_ACCESS_KEY: "test",
};

/** kinesis-local in a process of its own. It is slow, and enforces no limits. */
export class TestKinesis {
  private constructor(
    readonly url: string,
    private readonly dir: string,
    private readonly child: ChildProcess,
  ) {
    this.client = new KinesisClient({ endpoint: url, requestHandler: new NodeHttpHandler() });
  }

  private readonly client: KinesisClient;

  static async start(): Promise<TestKinesis> {
    Object.assign(process.env, AWS_ENV);
    const main = createRequire(import.meta.url).resolve("kinesis-local/main.js");
    // It reads its certificate from the folder it is started in.
    const dir = await mkdtemp(join(tmpdir(), "floodgate-kinesis-"));
    await copyFile(join(dirname(main), "server.json"), join(dir, "server.json"));
    const [plainPort, tlsPort] = [await freePort(), await freePort()];
    const ports = { KINESIS_MOCK_PLAIN_PORT: `${plainPort}`, KINESIS_MOCK_TLS_PORT: `${tlsPort}` };
    const durations = { CREATE_STREAM_DURATION: "10ms", SPLIT_SHARD_DURATION: "10ms" };
    const child = spawn(process.execPath, [main], {
      cwd: dir,
      env: { NODE_ENV: "test", ...ports, ...durations, MERGE_SHARDS_DURATION: "10ms", LOG_LEVEL: "ERROR" },
      stdio: "ignore",
    });
    const server = new TestKinesis(`http://127.0.0.1:${plainPort}`, dir, child);
    await waitFor("Kinesis to answer", () =>
      fetch(`${server.url}/healthcheck`).then(
        () => true,
        () => false,
      ),
    );
    return server;
  }

  async createStream(name: string, shards: number): Promise<void> {
    await this.client.send(new CreateStreamCommand({ StreamName: name, ShardCount: shards }));
    await this.isActive(name);
  }

  /** @param at the first hash key of the upper half */
  async splitShard(stream: string, shardId: string, at: bigint): Promise<void> {
    const names = { StreamName: stream, ShardToSplit: shardNameOf(shardId) };
    await this.client.send(new SplitShardCommand({ ...names, NewStartingHashKey: String(at) }));
    await this.isActive(stream);
  }

  async mergeShards(stream: string, shardId: string, neighbour: string): Promise<void> {
    const names = { ShardToMerge: shardNameOf(shardId), AdjacentShardToMerge: shardNameOf(neighbour) };
    await this.client.send(new MergeShardsCommand({ StreamName: stream, ...names }));
    await this.isActive(stream);
  }

  async stop(): Promise<void> {
    this.client.destroy();
    if (this.child.exitCode === null && this.child.signalCode === null) {
      const gone = once(this.child, "exit");
      this.child.kill("SIGKILL");
      await gone;
    }
    await rm(this.dir, { recursive: true, force: true });
  }

  private async isActive(stream: string): Promise<void> {
    const describe = new DescribeStreamSummaryCommand({ StreamName: stream });
    await waitFor(`${stream} to be active`, async () => {
      const { StreamDescriptionSummary } = await this.client.send(describe);
      return StreamDescriptionSummary?.StreamStatus === "ACTIVE";
    });
  }
}
