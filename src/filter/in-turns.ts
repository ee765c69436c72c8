/** Shards that are asked about at once: others share the connection, and wait behind all of them. */
const AT_ONCE = 16;

/** Looks at many shards a few at a time. @returns what `look` answered, by index */
export async function inTurns<T>(
  shards: readonly number[],
  look: (shard: number) => Promise<T>,
): Promise<T[]> {
  const answers: T[] = [];
  for (let from = 0; from < shards.length; from += AT_ONCE) {
    answers.push(...(await Promise.all(shards.slice(from, from + AT_ONCE).map(look))));
  }
  return answers;
}
