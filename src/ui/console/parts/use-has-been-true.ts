import { useState } from "react";

/** Whether the value has ever been true, for a dialog that stays mounted after its first opening. */
export function useHasBeenTrue(value: boolean): boolean {
  const [hasBeenTrue, setHasBeenTrue] = useState(value);
  if (value && !hasBeenTrue) setHasBeenTrue(true);
  return value || hasBeenTrue;
}
