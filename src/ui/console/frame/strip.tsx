"use client";

import { useEffect, useRef } from "react";
import { useLive } from "../live/live-provider";
import { AlarmBanner } from "./alarm-banner";

/** The top edge of the page: the environment and its problems. */
export function Strip() {
  const ref = useRef<HTMLElement>(null);
  const environment = useLive().live?.health.environment;

  useEffect(() => {
    const strip = ref.current;
    if (!strip) return;
    const observer = new ResizeObserver(() =>
      document.documentElement.style.setProperty("--strip-height", `${strip.offsetHeight}px`),
    );
    observer.observe(strip);
    return () => observer.disconnect();
  }, []);

  return (
    <header className="strip" ref={ref}>
      <div className="environment" data-tone={environment === "production" ? "production" : "other"}>
        {environment && (
          <>
            Environment <strong className="font-semibold text-ink">{environment}</strong>
          </>
        )}
      </div>
      <AlarmBanner />
    </header>
  );
}
