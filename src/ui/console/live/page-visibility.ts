/** Whether the page is hidden: in a background tab or a minimised window. */
export type Visibility = { isHidden(): boolean; onChange(listener: () => void): () => void };

export const pageVisibility: Visibility = {
  isHidden: () => document.hidden,
  onChange(listener) {
    document.addEventListener("visibilitychange", listener);
    return () => document.removeEventListener("visibilitychange", listener);
  },
};
