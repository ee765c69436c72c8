import { useEffect } from "react";
import { isPartGone, updatePage } from "./page-build";

/** For the page that stands in for a failed one: loads a newer page when the failure was a part of an old build. */
export function useUpdateWhenGone(error: unknown): void {
  useEffect(() => {
    void isPartGone(error).then(isGone => isGone && updatePage());
  }, [error]);
}
