"use client";

import dynamic from "next/dynamic";
import { useSyncExternalStore } from "react";
import { countToasts, watchToasts } from "./toast";

const Toaster = dynamic(() => import("./toaster"), { ssr: false });

/** The corner for toasts. Its library is loaded with the first one. */
export function Toasts() {
  const count = useSyncExternalStore(watchToasts, countToasts, () => 0);
  return count > 0 && <Toaster count={count} />;
}
