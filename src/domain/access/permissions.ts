/** Not a ladder: the table below decides what each may do. Everybody who signs up is a member. */
export const ROLES = ["member", "viewer", "trader", "operator", "admin"] as const;
export type Role = (typeof ROLES)[number];

export type ActionRule = {
  roles: readonly Role[];
  /** As on a button or a kill switch. */
  title: string;
  /** Changes something: it is audited, and has a kill switch. */
  mutates: boolean;
  /** `people`: no service token may, so that a stolen one can't make itself more. */
  scope?: "people";
};

const view = (title: string, ...roles: Role[]): ActionRule => ({ title, roles, mutates: false });
const change = (title: string, ...roles: Role[]): ActionRule => ({ title, roles, mutates: true });
const people = (rule: ActionRule): ActionRule => ({ ...rule, scope: "people" });

/** The one permission table: the API's guard and the console's buttons both read it. */
export const ACTIONS = {
  "console.view": view("Open the console", "viewer", "trader", "operator", "admin"),
  "gate.view": view("See the gate's dashboard", "viewer", "trader", "operator", "admin"),
  "outbox.view": view("See the outbox", "viewer", "operator", "admin"),
  "outbox.replay": change("Replay dead letters", "operator", "admin"),
  "name.trace": view("Trace a name", "operator", "admin"),
  "filter.view": view("See the filter's versions", "viewer", "trader", "operator", "admin"),
  "filter.rebuild": change("Rebuild the filter", "operator", "admin"),
  "filter.cancel": change("Give up a rebuild", "operator", "admin"),
  "filter.verify": change("Verify a version again", "operator", "admin"),
  "filter.setTraffic": change("Compare with, or canary, a version", "operator", "admin"),
  "filter.promote": change("Promote a version", "operator", "admin"),
  "filter.arm": change("Arm a promotion", "operator", "admin"),
  "filter.rollback": change("Roll the filter back", "operator", "admin"),
  "filter.retire": change("Retire a version", "operator", "admin"),
  "filter.schedule": change("Schedule rebuilds", "operator", "admin"),
  "user.view": view("See users", "operator", "admin"),
  "user.setRole": people(change("Change a user's role", "admin")),
  "user.disable": change("Disable or enable a user", "operator", "admin"),
  "user.revokeSessions": change("Sign a user out everywhere", "operator", "admin"),
  "reserved.view": view("See reserved words", "viewer", "operator", "admin"),
  "reserved.edit": change("Change reserved words", "operator", "admin"),
  "orders.view": view("See how orders flow", "viewer", "trader", "operator", "admin"),
  "orders.submit": change("Submit orders", "admin"),
  "orders.replay": change("Send an event again that was set aside", "trader", "operator", "admin"),
  "symbol.view": view("See symbols and how they are split", "viewer", "trader", "operator", "admin"),
  "symbol.split": change("Split a hot symbol, or cool it down", "trader", "admin"),
  "symbol.dismiss": change("Dismiss a suggestion", "trader", "admin"),
  "symbol.auto": change("Let a symbol be split automatically", "trader", "admin"),
  "lab.view": view("See the scenario lab", "viewer", "trader", "operator", "admin"),
  "lab.run": change("Run scenarios in the lab", "trader", "operator", "admin"),
  "audit.view": view("See the audit log", "viewer", "trader", "operator", "admin"),
  "token.view": view("See service tokens", "admin"),
  "token.manage": people(change("Make and revoke service tokens", "admin")),
  "switch.view": view("See the kill switches", "viewer", "trader", "operator", "admin"),
  "switch.set": people(change("Switch actions off and on", "admin")),
} as const satisfies Record<string, ActionRule>;

export type Action = keyof typeof ACTIONS;

/** What workers write into the audit log, though nobody can ask for it. */
export const SYSTEM_ACTIONS = { "symbol.expire": "A split expired" } as const;
export const ACTION_NAMES = Object.keys(ACTIONS) as Action[];

export const isAction = (name: string): name is Action => Object.hasOwn(ACTIONS, name);
export const isRole = (name: string): name is Role => (ROLES as readonly string[]).includes(name);

/** Everything that changes something, except switching itself: else nobody could switch it on again. */
export const SWITCHABLE: readonly Action[] = ACTION_NAMES.filter(
  action => ACTIONS[action].mutates && action !== "switch.set",
);

export type Decision = { allowed: true } | { allowed: false; reason: string };

/** May this role do this now? */
export function decide(role: Role, action: Action, offSwitches: ReadonlySet<Action>): Decision {
  const rule: ActionRule = ACTIONS[action];
  if (!rule.roles.includes(role)) return refuse(`Your role (${role}) may not do this: ${rule.title}.`);
  return switched(action, offSwitches);
}

/** A service token has a role, or scopes: the actions it may do, whatever roles may do them. */
export type TokenGrant = { role: Role | null; scopes: readonly string[] };

export function decideForToken(
  { role, scopes }: TokenGrant,
  action: Action,
  offSwitches: ReadonlySet<Action>,
): Decision {
  const rule: ActionRule = ACTIONS[action];
  if (rule.scope === "people") return refuse(`Only a person may do this: ${rule.title}.`);
  if (role !== null) return decide(role, action, offSwitches);
  if (!scopes.includes(action)) return refuse(`This token may not do this: ${rule.title}.`);
  return switched(action, offSwitches);
}

function switched(action: Action, offSwitches: ReadonlySet<Action>): Decision {
  if (!SWITCHABLE.includes(action) || !offSwitches.has(action)) return { allowed: true };
  return refuse(`This is switched off at the moment: ${ACTIONS[action].title}.`);
}

function refuse(reason: string): Decision {
  return { allowed: false, reason };
}
