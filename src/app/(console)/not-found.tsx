import type { Metadata } from "next";
import { WholePage } from "../../ui/console/frame/whole-page";

export const metadata: Metadata = { title: "Page not found" };

export default function NotFound() {
  return (
    <WholePage title="The console has no such page" text="It may have moved, or the link has a typo.">
      <a className="btn btn-outline" href="/console">
        Go to the console
      </a>
    </WholePage>
  );
}
