import {
  Activity,
  ArrowLeftRight,
  BookLock,
  ChartNoAxesGantt,
  CircleSlash,
  Flame,
  FlaskConical,
  Grid3x3,
  Inbox,
  KeyRound,
  type LucideIcon,
  Route,
  ScrollText,
  ToggleLeft,
  Users,
} from "lucide-react";
import type { Action } from "../contract";

export type NavItem = {
  href: string;
  title: string;
  short: string;
  icon: LucideIcon;
  action: Action;
  /** Pressed after "g". */
  key: string;
  group: "Watch" | "Govern";
};

export const NAV_ITEMS: readonly NavItem[] = [
  {
    href: "/console/gate",
    title: "Gate",
    short: "Gate",
    icon: Activity,
    action: "gate.view",
    key: "g",
    group: "Watch",
  },
  {
    href: "/console/filter",
    title: "Filter",
    short: "Filter",
    icon: Grid3x3,
    action: "filter.view",
    key: "f",
    group: "Watch",
  },
  {
    href: "/console/outbox",
    title: "Outbox",
    short: "Outbox",
    icon: Inbox,
    action: "outbox.view",
    key: "o",
    group: "Watch",
  },
  {
    href: "/console/trace",
    title: "Name trace",
    short: "Trace",
    icon: Route,
    action: "name.trace",
    key: "t",
    group: "Watch",
  },
  {
    href: "/console/symbols",
    title: "Symbols",
    short: "Symbols",
    icon: Flame,
    action: "symbol.view",
    key: "y",
    group: "Watch",
  },
  {
    href: "/console/stream",
    title: "Stream",
    short: "Stream",
    icon: ChartNoAxesGantt,
    action: "orders.view",
    key: "m",
    group: "Watch",
  },
  {
    href: "/console/engine",
    title: "Engine",
    short: "Engine",
    icon: ArrowLeftRight,
    action: "orders.view",
    key: "e",
    group: "Watch",
  },
  {
    href: "/console/dead-letters",
    title: "Set aside",
    short: "Late",
    icon: CircleSlash,
    action: "orders.view",
    key: "l",
    group: "Watch",
  },
  {
    href: "/console/lab",
    title: "Scenario lab",
    short: "Lab",
    icon: FlaskConical,
    action: "lab.view",
    key: "b",
    group: "Watch",
  },
  {
    href: "/console/users",
    title: "Users",
    short: "Users",
    icon: Users,
    action: "user.view",
    key: "u",
    group: "Govern",
  },
  {
    href: "/console/reserved",
    title: "Reserved words",
    short: "Words",
    icon: BookLock,
    action: "reserved.view",
    key: "r",
    group: "Govern",
  },
  {
    href: "/console/audit",
    title: "Audit log",
    short: "Audit",
    icon: ScrollText,
    action: "audit.view",
    key: "a",
    group: "Govern",
  },
  {
    href: "/console/switches",
    title: "Kill switches",
    short: "Switches",
    icon: ToggleLeft,
    action: "switch.view",
    key: "s",
    group: "Govern",
  },
  {
    href: "/console/tokens",
    title: "Service tokens",
    short: "Tokens",
    icon: KeyRound,
    action: "token.view",
    key: "k",
    group: "Govern",
  },
];
