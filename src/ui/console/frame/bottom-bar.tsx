"use client";

import { Menu } from "lucide-react";
import { usePathname } from "next/navigation";
import { useState } from "react";
import { ConsoleLink } from "../parts/console-link";
import { Dialog } from "../parts/dialog";
import { NavLinks } from "./nav";
import { NAV_ITEMS } from "./nav-items";
import { UserFacts } from "./user-menu";

const first = NAV_ITEMS.slice(0, 4);

/** The navigation of narrow screens: four pages within the thumb's reach, the rest behind "More". */
export function BottomBar() {
  const pathname = usePathname();
  const [isOpen, setIsOpen] = useState(false);
  return (
    <nav className="bar" aria-label="Console, short">
      {first.map(({ href, short, icon: Icon }) => (
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
        <NavLinks items={NAV_ITEMS} onGo={() => setIsOpen(false)} />
        <div className="border-t border-line pt-2">
          <UserFacts />
        </div>
      </Dialog>
    </nav>
  );
}
