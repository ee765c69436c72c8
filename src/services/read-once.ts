export type ReadOnce<T> = {
  read(): Promise<T>;
  /** Drops the cached value: the next call loads it again. */
  forget(): void;
};

/** Caches `load` for `freshMs`; concurrent callers share one load, and a failure is not cached. */
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
