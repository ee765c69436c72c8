import {
  Activity,
  ArrowLeftRight,
  ChartNoAxesGantt,
  CircleSlash,
  Flame,
  FlaskConical,
  Grid3x3,
  Inbox,
  Key,
  List,
  Lock,
  type LucideIcon,
  Route,
  Target,
  ToggleLeft,
  Users,
} from "lucide-react";
import type { Action, Role } from "../contract";

export type NavItem = {
  href: string;
  title: string;
  /** For the bottom bar, where the title is too long. */
  short?: string;
  icon: LucideIcon;
  action: Action;
  /** Pressed after "g". */
  key: string;
};

export type NavGroup = { title: string; items: readonly NavItem[] };

const USERNAMES: NavGroup = {
  title: "Usernames",
  items: [
    { href: "/console/gate", title: "Gate", icon: Activity, action: "gate.view", key: "g" },
    { href: "/console/filter", title: "Filter", icon: Grid3x3, action: "filter.view", key: "f" },
    { href: "/console/outbox", title: "Outbox", icon: Inbox, action: "outbox.view", key: "o" },
    {
      href: "/console/trace",
      title: "Name trace",
      short: "Name",
      icon: Route,
      action: "name.trace",
      key: "t",
    },
    {
      href: "/console/reserved",
      title: "Reserved words",
      icon: Lock,
      action: "reserved.view",
      key: "r",
    },
  ],
};

const ORDERS: NavGroup = {
  title: "Orders",
  items: [
    { href: "/console/symbols", title: "Symbols", icon: Flame, action: "symbol.view", key: "y" },
    { href: "/console/stream", title: "Stream", icon: ChartNoAxesGantt, action: "orders.view", key: "m" },
    { href: "/console/engine", title: "Engine", icon: ArrowLeftRight, action: "orders.view", key: "e" },
    {
      href: "/console/dead-letters",
      title: "Dead letters",
      short: "Dead",
      icon: CircleSlash,
      action: "orders.view",
      key: "l",
    },
    {
      href: "/console/order-trace",
      title: "Order trace",
      short: "Order",
      icon: Target,
      action: "orders.trace",
      key: "w",
    },
    { href: "/console/lab", title: "Scenario lab", icon: FlaskConical, action: "lab.view", key: "b" },
  ],
};

const ADMINISTRATION: NavGroup = {
  title: "Administration",
  items: [
    { href: "/console/users", title: "Users", icon: Users, action: "user.view", key: "u" },
    { href: "/console/audit", title: "Audit log", icon: List, action: "audit.view", key: "a" },
    { href: "/console/switches", title: "Kill switches", icon: ToggleLeft, action: "switch.view", key: "s" },
    { href: "/console/tokens", title: "Service tokens", icon: Key, action: "token.view", key: "k" },
  ],
};

export const NAV_GROUPS = [USERNAMES, ORDERS, ADMINISTRATION] as const;
export const NAV_ITEMS: readonly NavItem[] = NAV_GROUPS.flatMap(({ items }) => items);

/** The group that a role works in. */
export const mainGroup = (role: Role): NavGroup => (role === "trader" ? ORDERS : USERNAMES);

/** The page that a role sees first after signing in. */
export const homePage = (role: Role): string => (role === "trader" ? "/console/symbols" : "/console/gate");
