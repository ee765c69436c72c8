"use client";

import { usePathname } from "next/navigation";
import { Mark } from "../../mark";
import { ConsoleLink } from "../parts/console-link";
import { useRefusal, useSession } from "../session/session";
import { homePage, NAV_GROUPS } from "./nav-items";
import { UserMenu } from "./user-menu";

export function Nav({ onPalette }: { onPalette: () => void }) {
  const { role } = useSession().user;
  return (
    <nav className="nav" aria-label="Console">
      <ConsoleLink
        href={homePage(role)}
        className="flex items-center gap-2 rounded px-2.5 py-1 font-semibold"
      >
        <Mark size={20} /> Floodgate
      </ConsoleLink>
      <button type="button" className="btn btn-outline mt-3 justify-between! px-2.5!" onClick={onPalette}>
        <span className="font-normal text-soft">Pages and actions…</span>
        <span className="kbd">Ctrl K</span>
      </button>
      <NavLinks />
      <UserMenu />
    </nav>
  );
}

/** Every page in its group. Pages that the role may not see are there too, with the reason. */
export function NavLinks({ onGo }: { onGo?: () => void }) {
  const pathname = usePathname();
  const refusal = useRefusal();
  return NAV_GROUPS.map(group => (
    <div key={group.title}>
      <p className="nav-title">{group.title}</p>
      <ul>
        {group.items.map(({ href, title, icon: Icon, action }) => (
          <li key={href}>
            <ConsoleLink
              href={href}
              className="nav-link"
              aria-current={pathname === href ? "page" : undefined}
              data-refused={refusal(action) ? true : undefined}
              title={refusal(action)}
              onClick={onGo}
            >
              <Icon size={16} strokeWidth={1.75} aria-hidden="true" />
              {title}
            </ConsoleLink>
          </li>
        ))}
      </ul>
    </div>
  ));
}
