"use client";

import { useLive } from "../live/live-provider";
import { Ago } from "../parts/ago";
import { ConsoleLink } from "../parts/console-link";
import { StateBadge } from "../parts/state-badge";

/** The current problems, each with a link to its cause. Follows the live stream. */
export function AlarmBanner() {
  const { live, at, source } = useLive();
  const problems = source === "lost" || source === "paused" ? [] : (live?.health.problems ?? []);
  const tone = live?.health.status === "down" ? "critical" : "warning";
  return (
    <div role="status">
      {source === "lost" && (
        <div className="alarm" data-tone="unknown">
          <StateBadge state="unknown" word="No answer from the server" />
          <span>
            {at ? (
              <>
                This page was last updated <Ago at={at} />. It retries every five seconds.
              </>
            ) : (
              "The state of the gate is unknown. The page retries every five seconds."
            )}
          </span>
        </div>
      )}
      {source === "paused" && at && (
        <div className="alarm" data-tone="unknown">
          <StateBadge state="unknown" word="This page was in the background" />
          <span>
            This page was last updated <Ago at={at} />. It is being updated.
          </span>
        </div>
      )}
      {problems.length > 0 && (
        <div className="alarm" data-tone={tone}>
          <StateBadge state={tone} word={tone === "critical" ? "Down" : "Degraded"} />
          <ul className="flex min-w-0 grow flex-wrap gap-x-6 gap-y-1">
            {problems.map(({ code, text, href }) => (
              <li key={code}>
                {text} {/^\/(?!\/)/.test(href) && <ConsoleLink href={href}>See the cause</ConsoleLink>}
              </li>
            ))}
          </ul>
        </div>
      )}
    </div>
  );
}
