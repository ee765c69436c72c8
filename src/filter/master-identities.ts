import { masters, type RedisClient } from "../store/redis";

/**
 * Identity of each master's memory, sorted. It changes when the master restarts or another node takes
 * over; acknowledged writes may be lost then.
 */
export async function masterIdentities(redis: RedisClient): Promise<string[]> {
  const identities = await Promise.all(
    masters(redis).map(async node => {
      // All sections together take a millisecond of a node's time.
      const sections = await Promise.all(["server", "replication"].map(name => node.call("INFO", name)));
      const info = sections.join("\n");
      const field = (name: string) => new RegExp(`^${name}:(.*?)\\r?$`, "m").exec(info)?.[1] ?? "";
      return `${field("run_id")}/${field("master_replid")}`;
    }),
  );
  return identities.sort();
}
