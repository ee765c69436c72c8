import type { ConsoleClient, Role, UserRow } from "../contract";
import type { Confirmation } from "../parts/confirm-dialog";

type Api = Pick<ConsoleClient, "user">;
const refresh = ["user.list"];
const open = ({ sessions }: UserRow) =>
  sessions === 1 ? "the one open session" : `all ${sessions} open sessions`;

export function setRole(api: Api, { user, role }: { user: UserRow; role: Role }): Confirmation {
  const { id, username, version } = user;
  const isPowerful = role === "admin" || role === "operator";
  return {
    title: `Make ${username} ${role}`,
    consequence: `The role of ${username} changes from ${user.role} to ${role}, in every open session at once.`,
    reach: isPowerful ? "large" : "small",
    verb: `Make ${role}`,
    run: reason => api.user.setRole.mutate({ id, role, reason, version }),
    done: `${username} is ${role}`,
    refresh,
  };
}

export function disableUser(api: Api, user: UserRow): Confirmation {
  const { id, username, version } = user;
  return {
    title: `Disable ${username}`,
    consequence: `${username} can't sign in, and ${open(user)} ${user.sessions === 1 ? "ends" : "end"} now. The name stays taken. You can enable the user again.`,
    reach: "large",
    verb: `Disable ${username}`,
    run: reason => api.user.setDisabled.mutate({ id, disabled: true, reason, version }),
    done: `${username} is disabled`,
    refresh,
  };
}

export function enableUser(api: Api, { id, username, version }: UserRow): Confirmation {
  return {
    title: `Enable ${username}`,
    consequence: `${username} can sign in again with the old password and role.`,
    reach: "small",
    verb: `Enable ${username}`,
    run: reason => api.user.setDisabled.mutate({ id, disabled: false, reason, version }),
    done: `${username} is enabled`,
    refresh,
  };
}

export function revokeSessions(api: Api, user: UserRow): Confirmation {
  const { id, username } = user;
  return {
    title: `Revoke sessions of ${username}`,
    consequence: `${username} is signed out of ${open(user)} and has to sign in again.`,
    reach: "small",
    verb: "Revoke sessions",
    run: reason => api.user.revokeSessions.mutate({ id, reason }),
    done: `${username} is signed out everywhere`,
    refresh,
  };
}
