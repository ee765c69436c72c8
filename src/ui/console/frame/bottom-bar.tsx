"use client";

import { Menu } from "lucide-react";
import { usePathname } from "next/navigation";
import { useState } from "react";
import { ConsoleLink } from "../parts/console-link";
import { Dialog } from "../parts/dialog";
import { useSession } from "../session/session";
import { NavLinks } from "./nav";
import { mainGroup } from "./nav-items";
import { UserFacts } from "./user-menu";

/** The navigation of narrow screens: four pages of the role's own group, and the rest behind "More". */
export function BottomBar() {
  const pathname = usePathname();
  const { items } = mainGroup(useSession().user.role);
  const [isOpen, setIsOpen] = useState(false);
  return (
    <nav className="bar" aria-label="Console, short">
      {items.slice(0, 4).map(({ href, title, short = title, icon: Icon }) => (
        <ConsoleLink
          key={href}
          href={href}
          className="bar-link"
          aria-current={pathname === href ? "page" : undefined}
        >
          <Icon size={18} strokeWidth={1.75} aria-hidden="true" />
          {short}
        </ConsoleLink>
      ))}
      <button type="button" className="bar-link" onClick={() => setIsOpen(true)}>
        <Menu size={18} strokeWidth={1.75} aria-hidden="true" />
        More
      </button>
      <Dialog open={isOpen} onClose={() => setIsOpen(false)} title="Console">
        <NavLinks onGo={() => setIsOpen(false)} />
        <div className="border-t border-line pt-2">
          <UserFacts />
        </div>
      </Dialog>
    </nav>
  );
}
