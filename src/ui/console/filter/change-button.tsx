import type { ReactNode } from "react";
import type { FilterStatus, VersionStatus } from "../contract";
import { PermittedButton } from "../parts/permitted-button";
import { CHANGE_ACTIONS, disabledReason, type FilterChange } from "./filter-change";

export type OnChange = (change: FilterChange, version?: number) => void;

type ChangeButtonProps = {
  change: FilterChange;
  status: FilterStatus;
  of?: VersionStatus;
  onChange: OnChange;
  variant?: string;
  children: ReactNode;
};

/** Opens the dialog of one change. A disabled button names the role or state that the change needs. */
export function ChangeButton(props: ChangeButtonProps) {
  const { change, status, of, onChange, variant = "btn-outline", children } = props;
  return (
    <PermittedButton
      action={CHANGE_ACTIONS[change]}
      className={`btn ${variant}`}
      disabledReason={disabledReason(change, status, of)}
      onClick={() => onChange(change, of?.version)}
    >
      {children}
    </PermittedButton>
  );
}
