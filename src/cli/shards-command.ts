import { z } from "zod";
import { SHARD_ID } from "../domain/orders/shard-change";
import { flag, readOptions, UsageError, wholeNumberOption } from "../runtime/read-options";
import type { Api } from "./api-client";
import { FailedError } from "./run-command";

export const USAGE = `Usage: npm run shards -- <command>      (prints JSON)

  list                               the open shards: part of the hash space, load, and their sub-keys
  split <shard> [--preview]          divides a shard in two halves
  merge <shard> <neighbour> [--preview]
                                     makes one shard of two whose hash ranges meet

  --preview          the load of each shard after the change, and why it would be refused; changes nothing
  --version <n>      fail unless the shards have this version, as shown by list
  --reason <text>    for the audit log

Environment: FLOODGATE_URL (http://localhost:3000), FLOODGATE_TOKEN (a service token of the console
with the scopes orders.view and shards.change).
Exit codes: 0 done, 1 refused or failed, 2 wrong usage, 3 no answer in time.
`;

const OPTIONS = z.object({
  preview: flag,
  version: wholeNumberOption(0).optional(),
  reason: z.string().default("on the command line"),
});

/** Runs one command; resolves to the JSON to print. @throws UsageError | FailedError | TRPCClientError */
export async function runShardsCommand(api: Api, argv: string[]): Promise<unknown> {
  const { options, positionals } = readOptions(argv, OPTIONS, 3);
  const [name, ...shards] = positionals;
  switch (name) {
    case "list":
      requireShards(shards, 0);
      return api.shards.list.query();
    case "split": {
      const [shardId] = requireShards(shards, 1);
      if (options.preview) return api.shards.preview.query({ kind: "split", shardId: shardId! });
      return api.shards.split.mutate({ shardId: shardId!, ...(await changeOf(api, options)) });
    }
    case "merge": {
      const [shardId, neighbourId] = requireShards(shards, 2) as [string, string];
      if (options.preview) return api.shards.preview.query({ kind: "merge", shardId, neighbourId });
      return api.shards.merge.mutate({ shardId, neighbourId, ...(await changeOf(api, options)) });
    }
    default:
      throw new UsageError("Give one of the commands list, split, merge.");
  }
}

function requireShards(shards: string[], count: number): string[] {
  if (shards.length > count) throw new UsageError(`Unexpected argument: ${shards[count]}`);
  if (shards.length < count)
    throw new UsageError(count === 1 ? "Give a shard, such as 4." : "Give two shards, such as 4 5.");
  const wrong = shards.find(shard => !SHARD_ID.test(shard));
  if (wrong !== undefined) throw new UsageError(`${wrong} is not a shard's id, which is a number.`);
  return shards;
}

async function changeOf(api: Api, { version, reason }: z.output<typeof OPTIONS>) {
  const { version: expectedVersion } = await api.shards.list.query();
  if (version !== undefined && version !== expectedVersion)
    throw new FailedError(`The shards have version ${expectedVersion}, not ${version}. List them again.`);
  return { expectedVersion, reason };
}
