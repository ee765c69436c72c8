"use client";

import { usePathname } from "next/navigation";
import { Mark } from "../../mark";
import { ConsoleLink } from "../parts/console-link";
import { useSession } from "../session/session";
import { NAV_ITEMS, type NavItem } from "./nav-items";
import { UserMenu } from "./user-menu";

export function Nav({ onPalette }: { onPalette: () => void }) {
  return (
    <nav className="nav" aria-label="Console">
      <ConsoleLink href="/console/gate" className="flex items-center gap-2 rounded px-2.5 py-1 font-semibold">
        <Mark size={20} /> Floodgate
      </ConsoleLink>
      <button type="button" className="btn btn-outline mt-3 justify-between! px-2.5!" onClick={onPalette}>
        <span className="font-normal text-soft">Find or do…</span>
        <span className="kbd">Ctrl K</span>
      </button>
      {(["Watch", "Govern"] as const).map(group => (
        <div key={group}>
          <p className="nav-title">{group}</p>
          <NavLinks items={NAV_ITEMS.filter(item => item.group === group)} />
        </div>
      ))}
      <UserMenu />
    </nav>
  );
}

export function NavLinks({ items, onGo }: { items: readonly NavItem[]; onGo?: () => void }) {
  const pathname = usePathname();
  const { can, user } = useSession();
  return (
    <ul>
      {items.map(({ href, title, icon: Icon, action }) => {
        const isRefused = !can[action]?.allowed;
        return (
          <li key={href}>
            <ConsoleLink
              href={href}
              className="nav-link"
              aria-current={pathname === href ? "page" : undefined}
              data-refused={isRefused || undefined}
              title={
                isRefused ? (can[action]?.reason ?? `The role ${user.role} may not see this.`) : undefined
              }
              onClick={onGo}
            >
              <Icon size={16} strokeWidth={1.75} aria-hidden="true" />
              {title}
            </ConsoleLink>
          </li>
        );
      })}
    </ul>
  );
}
