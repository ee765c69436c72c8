/** No order: the table below decides what each role may do. A new account has the role member. */
export const ROLES = ["member", "viewer", "trader", "operator", "admin"] as const;
export type Role = (typeof ROLES)[number];

export type ActionRule = {
  roles: readonly Role[];
  /** As on a button or a kill switch. */
  title: string;
  /** A mutation is audited and has a kill switch. */
  mutates: boolean;
  /** `people`: no service token may do it, so that a stolen token cannot extend its own rights. */
  scope?: "people";
};

const view = (title: string, ...roles: Role[]): ActionRule => ({ title, roles, mutates: false });
const change = (title: string, ...roles: Role[]): ActionRule => ({ title, roles, mutates: true });
const people = (rule: ActionRule): ActionRule => ({ ...rule, scope: "people" });

/** The one permission table: the API's guard and the console's buttons both read it. */
export const ACTIONS = {
  "console.view": view("Open the console", "viewer", "trader", "operator", "admin"),
  "gate.view": view("View the gate dashboard", "viewer", "trader", "operator", "admin"),
  "outbox.view": view("View the outbox", "viewer", "operator", "admin"),
  "outbox.replay": change("Replay outbox dead letters", "operator", "admin"),
  "name.trace": view("Trace a name", "operator", "admin"),
  "filter.view": view("View filter versions", "viewer", "trader", "operator", "admin"),
  "filter.rebuild": change("Rebuild the filter", "operator", "admin"),
  "filter.cancel": change("Cancel a rebuild", "operator", "admin"),
  "filter.verify": change("Verify a version", "operator", "admin"),
  "filter.setTraffic": change("Set shadow and canary traffic of a version", "operator", "admin"),
  "filter.promote": change("Promote a version", "operator", "admin"),
  "filter.arm": change("Arm a promotion", "operator", "admin"),
  "filter.rollback": change("Roll back the filter", "operator", "admin"),
  "filter.retire": change("Retire a version", "operator", "admin"),
  "filter.schedule": change("Schedule rebuilds", "operator", "admin"),
  "user.view": view("View users", "operator", "admin"),
  "user.setRole": people(change("Change a user's role", "admin")),
  "user.disable": change("Disable or enable a user", "operator", "admin"),
  "user.revokeSessions": change("Sign a user out everywhere", "operator", "admin"),
  "reserved.view": view("View reserved words", "viewer", "operator", "admin"),
  "reserved.edit": change("Change reserved words", "operator", "admin"),
  "orders.view": view("View the order stream", "viewer", "trader", "operator", "admin"),
  "orders.trace": view("Trace an order", "trader", "operator", "admin"),
  "orders.submit": change("Submit orders", "admin"),
  "orders.replay": change("Replay an order dead letter", "trader", "operator", "admin"),
  "engine.continue": change("Continue a paused symbol", "trader", "operator", "admin"),
  "symbol.view": view("View symbols and their splits", "viewer", "trader", "operator", "admin"),
  "symbol.split": change("Split or merge a symbol", "trader", "admin"),
  "symbol.dismiss": change("Dismiss a suggestion", "trader", "admin"),
  "symbol.setAutomatic": change("Set automatic mode of a symbol", "trader", "admin"),
  "symbol.add": change("Add a symbol", "trader", "admin"),
  "symbol.halt": change("Halt a symbol", "trader", "admin"),
  "symbol.resume": change("Resume a symbol", "trader", "admin"),
  "symbol.delist": change("Delist a symbol", "trader", "admin"),
  "shards.change": change("Split or merge shards", "trader", "admin"),
  "lab.view": view("View the scenario lab", "viewer", "trader", "operator", "admin"),
  "lab.run": change("Run scenarios in the lab", "trader", "operator", "admin"),
  "audit.view": view("View the audit log", "viewer", "trader", "operator", "admin"),
  "token.view": view("View service tokens", "admin"),
  "token.manage": people(change("Create and revoke service tokens", "admin")),
  "switch.view": view("View kill switches", "viewer", "trader", "operator", "admin"),
  "switch.set": people(change("Set kill switches", "admin")),
} as const satisfies Record<string, ActionRule>;

export type Action = keyof typeof ACTIONS;

/** Actions of the workers in the audit log; no caller can request them. */
export const SYSTEM_ACTIONS = { "symbol.expire": "A split expired" } as const;
export const ACTION_NAMES = Object.keys(ACTIONS) as Action[];

export const isAction = (name: string): name is Action => Object.hasOwn(ACTIONS, name);
export const isRole = (name: string): name is Role => (ROLES as readonly string[]).includes(name);

/** All mutations but `switch.set`: without it no action could be turned on again. */
export const SWITCHABLE: readonly Action[] = ACTION_NAMES.filter(
  action => ACTIONS[action].mutates && action !== "switch.set",
);

export type Decision = { allowed: true } | { allowed: false; reason: string };

export function decide(role: Role, action: Action, offSwitches: ReadonlySet<Action>): Decision {
  const rule: ActionRule = ACTIONS[action];
  if (!rule.roles.includes(role)) return refuse(`The role ${role} may not do this: ${rule.title}.`);
  return checkSwitch(action, offSwitches);
}

/** A service token has a role, or scopes: the actions it may do. Scopes do not depend on roles. */
export type TokenGrant = { role: Role | null; scopes: readonly string[] };

export function decideForToken(
  { role, scopes }: TokenGrant,
  action: Action,
  offSwitches: ReadonlySet<Action>,
): Decision {
  const rule: ActionRule = ACTIONS[action];
  if (rule.scope === "people")
    return refuse(`A service token may not do this: ${rule.title}. Sign in to the console.`);
  if (role !== null) return decide(role, action, offSwitches);
  if (!scopes.includes(action)) return refuse(`This token may not do this: ${rule.title}.`);
  return checkSwitch(action, offSwitches);
}

function checkSwitch(action: Action, offSwitches: ReadonlySet<Action>): Decision {
  if (!SWITCHABLE.includes(action) || !offSwitches.has(action)) return { allowed: true };
  return refuse(`Switched off by a kill switch: ${ACTIONS[action].title}.`);
}

function refuse(reason: string): Decision {
  return { allowed: false, reason };
}
