import type { ReactNode } from "react";
import type { FilterStatus, VersionStatus } from "../contract";
import { PermittedButton } from "../parts/permitted-button";
import { ASK_ACTIONS, type Ask, blockedBy } from "./disabled-reason";

export type OnAsk = (ask: Ask, version?: number) => void;

type AskButtonProps = {
  ask: Ask;
  status: FilterStatus;
  of?: VersionStatus;
  onAsk: OnAsk;
  look?: string;
  children: ReactNode;
};

/** Opens the dialog of one decision; what role or state do not allow says why. */
export function AskButton({ ask, status, of, onAsk, look = "btn-outline", children }: AskButtonProps) {
  return (
    <PermittedButton
      action={ASK_ACTIONS[ask]}
      className={`btn ${look}`}
      blocked={blockedBy(ask, status, of)}
      onClick={() => onAsk(ask, of?.version)}
    >
      {children}
    </PermittedButton>
  );
}
