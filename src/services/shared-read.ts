/**
 * A read that everybody shares who asks within `forMs`, however many consoles are open. One that failed is
 * forgotten, so that the next one asks again.
 */
export function sharedRead<T>(forMs: number, read: () => Promise<T>): () => Promise<T> {
  let last: { atMs: number; answer: Promise<T> } | undefined;
  return () => {
    if (last && performance.now() - last.atMs < forMs) return last.answer;
    const answer = read();
    const mine = { atMs: performance.now(), answer };
    last = mine;
    answer.catch(() => {
      if (last === mine) last = undefined;
    });
    return answer;
  };
}
