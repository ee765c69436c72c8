import type { ConsoleClient } from "../contract";
import type { Confirmation } from "../parts/confirm-dialog";

const LARGE = 100;

export function replay(api: Pick<ConsoleClient, "outbox">, seqs: string[]): Confirmation {
  const rows = seqs.length === 1 ? `row ${seqs[0]}` : `${seqs.length} rows`;
  return {
    title: `Replay ${rows}`,
    consequence: `Relays retry ${rows} from the first attempt. The filter ignores a name that it contains already.`,
    reach: seqs.length >= LARGE ? "large" : "small",
    verb: `Replay ${rows}`,
    run: reason => api.outbox.replay.mutate({ seqs, reason }),
    done: `${rows} back in the outbox`,
    refresh: ["outbox.deadLetters", "outbox.status"],
  };
}
