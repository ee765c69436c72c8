export type ReadOnce<T> = {
  read(): Promise<T>;
  /** What was read is no longer true: whoever asks next reads anew. */
  forget(): void;
};

/** However many ask, `load` is asked once in so long; a failure is not kept. */
export function readOnce<T>(freshMs: number, load: () => Promise<T>): ReadOnce<T> {
  let last: { atMs: number; value: Promise<T> } | undefined;
  return {
    read() {
      if (last && Date.now() - last.atMs < freshMs) return last.value;
      const mine = { atMs: Date.now(), value: load() };
      last = mine;
      mine.value.catch(() => {
        if (last === mine) last = undefined;
      });
      return mine.value;
    },
    forget() {
      last = undefined;
    },
  };
}
