"use client";

import { useState } from "react";
import { consoleApi } from "../console-api";
import type { FilterStatus, VersionStatus } from "../contract";
import { type Confirmation, ConfirmDialog } from "../parts/confirm-dialog";
import { useRefusal, useSession } from "../session/session";
import { type Draft, draftOf } from "./draft";
import { DraftFields } from "./draft-fields";
import { CHANGE_ACTIONS, disabledReason, type FilterChange } from "./filter-change";
import { REFRESH, schedule, VERSION_CONFIRMATIONS } from "./filter-confirmations";
import { promote } from "./promote-confirmation";
import { slotsOf } from "./slots";

type ChangeDialogProps = {
  change: FilterChange;
  /** Null: the version in the slot that the change concerns. */
  version: number | null;
  status: FilterStatus;
  onClose: () => void;
};

/** Confirms one change of the rollout, against the status at its opening. Mounting opens it. */
export function ChangeDialog({ change, version, status: current, onClose }: ChangeDialogProps) {
  const { user } = useSession();
  const refusal = useRefusal()(CHANGE_ACTIONS[change]);
  const [status] = useState(current);
  const of =
    version === null ? slotVersion(change, status) : status.versions.find(one => one.version === version);
  const [draft, setDraft] = useState(() => draftOf(of, status.schedule.everyHours));
  const confirmation = confirmationOf({ change, status, of, draft }, user.username);
  const onDraft = (part: Partial<Draft>) => setDraft(now => ({ ...now, ...part }));
  return (
    <ConfirmDialog
      confirmation={{
        ...confirmation,
        disabledReason: refusal ?? disabledReason(change, status, of) ?? confirmation.disabledReason,
        details: <DraftFields change={change} of={of} draft={draft} onDraft={onDraft} />,
      }}
      onClose={onClose}
    />
  );
}

function slotVersion(change: FilterChange, status: FilterStatus): VersionStatus | undefined {
  const { previous, candidate } = slotsOf(status);
  return change === "rollback" || change === "retire" ? previous : candidate;
}

type Changed = { change: FilterChange; status: FilterStatus; of?: VersionStatus; draft: Draft };

function confirmationOf({ change, status, of, draft }: Changed, me: string): Confirmation {
  if (change === "schedule") return schedule(consoleApi, { status, draft });
  if (!of) return missingVersion(change);
  if (change === "promote") return promote(consoleApi, { status, of, draft, me });
  return VERSION_CONFIRMATIONS[change](consoleApi, { status, of, draft });
}

/** For an address whose version does not exist. */
function missingVersion(change: FilterChange): Confirmation {
  return {
    title: "Version not found",
    consequence: "The version of this address was removed, or was never made.",
    reach: "small",
    verb: change,
    disabledReason: "This version does not exist.",
    run: () => Promise.reject(new Error("version not found")),
    done: "",
    refresh: REFRESH,
  };
}
