import { useState } from "react";

/** Whether it was ever so: what is loaded when it is first opened stays there, to close and give the focus back. */
export function useHasBeenTrue(isSo: boolean): boolean {
  const [wasSo, setWasSo] = useState(isSo);
  if (isSo && !wasSo) setWasSo(true);
  return isSo || wasSo;
}
