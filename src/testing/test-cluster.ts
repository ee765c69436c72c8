import { freePort } from "../runtime/ports";
import { TestRedis } from "./test-redis";
import { waitFor } from "./wait-for";

const SLOTS = 16_384;
const NODES = 3;

/** A Redis Cluster of three masters, made by commands: plain redis-servers are all it needs. */
export class TestCluster {
  private constructor(readonly nodes: TestRedis[]) {}

  static async start(): Promise<TestCluster> {
    const busPorts: number[] = [];
    const nodes: TestRedis[] = [];
    for (let i = 0; i < NODES; i += 1) {
      // The default, port + 10,000, may not exist.
      const busPort = await freePort();
      busPorts.push(busPort);
      nodes.push(await TestRedis.start(clusterArgs(busPort)));
    }
    const cluster = new TestCluster(nodes);
    await cluster.join(busPorts);
    return cluster;
  }

  /** As REDIS_URL takes them. */
  get urls(): string {
    return this.nodes.map(node => node.url).join(",");
  }

  /** The node that owns a key. */
  async ownerOf(key: string): Promise<TestRedis> {
    const slot = Number(await this.nodes[0]!.ask("CLUSTER", "KEYSLOT", key));
    return this.nodes[this.nodes.findIndex((_, i) => slot <= lastSlot(i))]!;
  }

  /** How often the nodes have answered with an error of this kind, such as MOVED. */
  async errorCount(kind: string): Promise<number> {
    const stats = await Promise.all(this.nodes.map(node => node.ask("INFO", "errorstats")));
    const pattern = new RegExp(`errorstat_${kind}:count=(\\d+)`);
    return stats.reduce<number>((sum, text) => sum + Number(pattern.exec(String(text))?.[1] ?? 0), 0);
  }

  async remove(): Promise<void> {
    for (const node of this.nodes) node.resume();
    await Promise.all(this.nodes.map(node => node.remove()));
  }

  private async join(busPorts: number[]): Promise<void> {
    for (const [i, node] of this.nodes.entries()) {
      const first = i === 0 ? 0 : lastSlot(i - 1) + 1;
      await node.ask("CLUSTER", "ADDSLOTSRANGE", `${first}`, `${lastSlot(i)}`);
      await node.ask("CLUSTER", "SET-CONFIG-EPOCH", `${i + 1}`);
    }
    for (const [i, node] of this.nodes.entries()) {
      if (i > 0) await this.nodes[0]!.ask("CLUSTER", "MEET", "127.0.0.1", `${node.port}`, `${busPorts[i]}`);
    }
    await waitFor("every node to know all slots", async () => {
      const infos = await Promise.all(this.nodes.map(node => node.ask("CLUSTER", "INFO")));
      return infos.every(
        info => /cluster_state:ok/.test(String(info)) && /cluster_known_nodes:3/.test(String(info)),
      );
    });
  }
}

function lastSlot(node: number): number {
  return Math.floor((SLOTS * (node + 1)) / NODES) - 1;
}

function clusterArgs(busPort: number): string[] {
  return [
    "--cluster-enabled",
    "yes",
    "--cluster-config-file",
    "nodes.conf",
    "--cluster-port",
    `${busPort}`,
    "--cluster-node-timeout",
    "2000",
    // A node without a replica that is down must cost its own slots only.
    "--cluster-require-full-coverage",
    "no",
  ];
}
