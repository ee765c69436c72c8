import { masters, type RedisClient } from "../store/redis";

/**
 * What each master's memory is: changes when it restarts or when another node takes over, and then
 * adds that it had acknowledged may be gone. Sorted.
 */
export async function masterIdentities(redis: RedisClient): Promise<string[]> {
  const identities = await Promise.all(
    masters(redis).map(async node => {
      const info = String(await node.call("INFO"));
      const field = (name: string) => new RegExp(`^${name}:(.*?)\\r?$`, "m").exec(info)?.[1] ?? "";
      return `${field("run_id")}/${field("master_replid")}`;
    }),
  );
  return identities.sort();
}
