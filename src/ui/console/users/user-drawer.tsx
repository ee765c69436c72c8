"use client";

import { useState } from "react";
import { consoleApi } from "../console-api";
import { ROLES, type Role, type UserRow } from "../contract";
import { Ago } from "../parts/ago";
import { type Confirmation, ConfirmDialog } from "../parts/confirm-dialog";
import { ConsoleLink } from "../parts/console-link";
import { Dialog } from "../parts/dialog";
import { PermittedButton } from "../parts/permitted-button";
import { StateBadge } from "../parts/state-badge";
import { useSession } from "../session/session";
import { disableUser, enableUser, revokeSessions, setRole } from "./user-changes";

type UserDrawerProps = { user?: UserRow; isMissing: boolean; onClose: () => void };

export function UserDrawer({ user, isMissing, onClose }: UserDrawerProps) {
  return (
    <Dialog
      kind="drawer"
      open={user !== undefined || isMissing}
      onClose={onClose}
      title={user ? <bdi>{user.username}</bdi> : "Not on this page"}
    >
      {user ? (
        <Details key={user.id} user={user} />
      ) : (
        <p className="text-soft">The user of this address is not among these rows. Search for the name.</p>
      )}
    </Dialog>
  );
}

function Details({ user }: { user: UserRow }) {
  const [confirmation, setConfirmation] = useState<Confirmation | null>(null);
  return (
    <>
      <Facts user={user} />
      <div className="flex flex-wrap gap-x-4 gap-y-1">
        <ConsoleLink className="link" href={`/console/trace?name=${encodeURIComponent(user.username)}`}>
          Trace this name
        </ConsoleLink>
        <ConsoleLink
          className="link"
          href={`/console/audit?search=${encodeURIComponent(`user:${user.username}`)}`}
        >
          Audit rows of this user
        </ConsoleLink>
      </div>
      <div className="grid gap-3 border-t border-line pt-3">
        <RoleChange user={user} onConfirm={setConfirmation} />
        <AccessChanges user={user} onConfirm={setConfirmation} />
      </div>
      <ConfirmDialog confirmation={confirmation} onClose={() => setConfirmation(null)} />
    </>
  );
}

function Facts({ user }: { user: UserRow }) {
  return (
    <dl className="facts">
      <dt>Status</dt>
      <dd>
        {user.disabledAt ? (
          <>
            <StateBadge state="critical" word="disabled" /> <Ago at={user.disabledAt} />
          </>
        ) : (
          <StateBadge state="ok" word="active" />
        )}
      </dd>
      <dt>Role</dt>
      <dd>{user.role}</dd>
      <dt>E-mail</dt>
      <dd>{user.email}</dd>
      <dt>Username key</dt>
      <dd className="code">{user.usernameKey}</dd>
      <dt>Sessions</dt>
      <dd>{user.sessions} open</dd>
      <dt>Created</dt>
      <dd>
        <Ago at={user.createdAt} />
      </dd>
      <dt>Id</dt>
      <dd className="code select-all">{user.id}</dd>
    </dl>
  );
}

type ChangeProps = { user: UserRow; onConfirm: (confirmation: Confirmation) => void };

function RoleChange({ user, onConfirm }: ChangeProps) {
  const isMe = user.id === useSession().user.id;
  const [role, setRoleChoice] = useState<Role>(user.role);
  const unchanged = role === user.role ? "Choose another role first." : undefined;
  return (
    <div className="flex flex-wrap items-center gap-2">
      <label htmlFor="new-role" className="text-soft">
        Role
      </label>
      <select
        id="new-role"
        className="input"
        value={role}
        onChange={event => setRoleChoice(ROLES.find(each => each === event.target.value) ?? user.role)}
      >
        {ROLES.map(each => (
          <option key={each}>{each}</option>
        ))}
      </select>
      <PermittedButton
        action="user.setRole"
        className="btn btn-outline"
        disabledReason={isMe ? "You can't change your own role." : unchanged}
        onClick={() => onConfirm(setRole(consoleApi, { user, role }))}
      >
        Set role
      </PermittedButton>
    </div>
  );
}

function AccessChanges({ user, onConfirm }: ChangeProps) {
  const me = useSession().user;
  const isMe = user.id === me.id;
  const isAbove =
    user.role === "admin" && me.role !== "admin" ? "Only an admin may do this to an admin." : undefined;
  return (
    <div className="flex flex-wrap gap-2">
      <PermittedButton
        action="user.revokeSessions"
        className="btn btn-outline"
        disabledReason={isAbove ?? (user.sessions === 0 ? "No session is open." : undefined)}
        onClick={() => onConfirm(revokeSessions(consoleApi, user))}
      >
        Revoke sessions
      </PermittedButton>
      {user.disabledAt ? (
        <PermittedButton
          action="user.disable"
          className="btn btn-outline"
          disabledReason={isAbove}
          onClick={() => onConfirm(enableUser(consoleApi, user))}
        >
          Enable again
        </PermittedButton>
      ) : (
        <PermittedButton
          action="user.disable"
          className="btn btn-danger"
          disabledReason={isMe ? "You can't disable yourself." : isAbove}
          onClick={() => onConfirm(disableUser(consoleApi, user))}
        >
          Disable
        </PermittedButton>
      )}
    </div>
  );
}
