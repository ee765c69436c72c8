"use client";

import { useRouter } from "next/navigation";
import { useEffect } from "react";
import { useSession } from "../session/session";
import { homePage } from "./nav-items";

/** The address /console leads to the home page of the role. */
export function HomePage() {
  const router = useRouter();
  const { role } = useSession().user;
  useEffect(() => router.replace(homePage(role)), [router, role]);
  return null;
}
