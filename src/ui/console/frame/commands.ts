import type { Action } from "../contract";

/** The actions of the palette. Each opens the page or dialog that asks for the reason. */
export type Command = { title: string; action: Action; href: string };

export const COMMANDS: readonly Command[] = [
  { title: "Trace a name", action: "name.trace", href: "/console/trace" },
  { title: "Trace an order", action: "orders.trace", href: "/console/order-trace" },
  { title: "Rebuild the filter", action: "filter.rebuild", href: "/console/filter?rebuild=true" },
  { title: "Roll the filter back", action: "filter.rollback", href: "/console/filter?change=rollback" },
  {
    title: "Promote the filter's candidate",
    action: "filter.promote",
    href: "/console/filter?change=promote",
  },
  {
    title: "Schedule rebuilds of the filter",
    action: "filter.schedule",
    href: "/console/filter?change=schedule",
  },
  { title: "Split or merge a symbol", action: "symbol.split", href: "/console/symbols" },
  { title: "Add a symbol", action: "symbol.add", href: "/console/symbols?request=add" },
  { title: "Halt a symbol", action: "symbol.halt", href: "/console/symbols" },
  { title: "Resume a symbol", action: "symbol.resume", href: "/console/symbols?state=halted" },
  { title: "Delist a symbol", action: "symbol.delist", href: "/console/symbols?state=halted" },
  { title: "Set automatic mode of a symbol", action: "symbol.setAutomatic", href: "/console/symbols" },
  { title: "Split a shard", action: "shards.change", href: "/console/stream?change=split" },
  { title: "Merge shards", action: "shards.change", href: "/console/stream?change=merge" },
  { title: "Run scenarios in the lab", action: "lab.run", href: "/console/lab" },
  { title: "Replay outbox dead letters", action: "outbox.replay", href: "/console/outbox" },
  { title: "Reserve a word", action: "reserved.edit", href: "/console/reserved?add=true" },
  { title: "Change a user's role", action: "user.setRole", href: "/console/users" },
  { title: "Disable a user", action: "user.disable", href: "/console/users" },
  { title: "Turn an action off or on", action: "switch.set", href: "/console/switches" },
  { title: "Create a service token", action: "token.manage", href: "/console/tokens?add=true" },
  {
    title: "Show refused attempts in the audit log",
    action: "audit.view",
    href: "/console/audit?outcome=refused",
  },
];
