import type { Action } from "../contract";

/** What the palette can start. Each leads to the page that asks for the reason; nothing happens at once. */
export type Command = { title: string; action: Action; href: string };

export const COMMANDS: readonly Command[] = [
  { title: "Trace a name", action: "name.trace", href: "/console/trace" },
  { title: "Rebuild the filter", action: "filter.rebuild", href: "/console/filter?rebuild=true" },
  { title: "Roll the filter back", action: "filter.rollback", href: "/console/filter?ask=rollback" },
  { title: "Promote the filter's candidate", action: "filter.promote", href: "/console/filter?ask=promote" },
  {
    title: "Schedule rebuilds of the filter",
    action: "filter.schedule",
    href: "/console/filter?ask=schedule",
  },
  { title: "Mark a symbol hot, or cool it down", action: "symbol.split", href: "/console/symbols" },
  { title: "Let a symbol be split automatically", action: "symbol.setAutomatic", href: "/console/symbols" },
  { title: "Run scenarios in the lab", action: "lab.run", href: "/console/lab" },
  { title: "Replay dead letters", action: "outbox.replay", href: "/console/outbox" },
  { title: "Reserve a word", action: "reserved.edit", href: "/console/reserved?add=true" },
  { title: "Change a user's role", action: "user.setRole", href: "/console/users" },
  { title: "Disable a user", action: "user.disable", href: "/console/users" },
  { title: "Turn an action off or on", action: "switch.set", href: "/console/switches" },
  { title: "Create a service token", action: "token.manage", href: "/console/tokens?add=true" },
  {
    title: "Find refused tries in the audit log",
    action: "audit.view",
    href: "/console/audit?outcome=refused",
  },
];
